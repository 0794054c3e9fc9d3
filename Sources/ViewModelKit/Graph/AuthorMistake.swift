/// A mistake in an author's code.
///
/// It ends the session in which it happened and no other session.
package enum AuthorMistake: Error, CustomStringConvertible {
    /// A write or a run on another thread than the session's, or between two steps.
    case outsideSession(StaticString)
    /// A write while a ``Derived`` was computed.
    case insideDerived(StaticString)

    /// The mistake and its remedy, for the log.
    package var description: String {
        switch self {
        case .outsideSession(let what):
            "\(what) outside of a step of its session; do it in the closure of an input, an action or a timer, "
                + "and give an async closure no capture list"
        case .insideDerived(let what):
            "\(what) inside of a Derived; derive the value instead of writing it"
        }
    }
}
