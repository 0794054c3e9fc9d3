/// A mistake in an author's code.
///
/// It ends the session in which it happened and no other session.
package enum AuthorMistake: Error, CustomStringConvertible {
    /// A write or a run on another thread than the session's, or between two steps.
    case outsideSession(Operation)
    /// A write while a ``Derived`` was computed.
    case insideDerived(Operation)
    /// A ``Derived`` that has read itself, perhaps through another one.
    case readsItself
    /// A ``Cell`` that was used while its value was being changed in place.
    case usedWhileChanged
    /// A cell, a list or another member that was made after the `init` of its object, by the code of a member.
    case madeLate(by: String)
    /// An input or an action that causes itself without end.
    case repeatsItself
    /// Two restorable values of an instance or of a shared model have one name.
    case savedNameTwice(String, owner: String)

    /// A key was set below the name of a value that is not saved.
    case notSaved

    /// What was done with the object of a mistake, in words.
    package enum Operation: String, Sendable {
        case write = "written"
        case send = "sent"
        case run = "run"
        case start = "started"
        case cancel = "cancelled"
        case use = "used"
    }

    /// The mistake and its remedy without names.
    package var description: String { description(of: "a value", computing: nil) }

    /// Returns the mistake and its remedy, for the log.
    ///
    /// The object is in words, such as `weather.town (Weather.swift:12)`, and so is the derived value if it has a name.
    package func description(of object: String, computing derived: String?) -> String {
        switch self {
        case .outsideSession(let operation):
            "\(object) was \(operation.rawValue) outside of a step of its session; do it in an input, an action or a "
                + "timer, and give an async closure no capture list"
        case .insideDerived(let operation):
            "\(object) was \(operation.rawValue) while \(derived ?? "a derived value") was computed; derive the value "
                + "instead of writing it"
        case .readsItself:
            "\(object) reads itself\(way(through: derived, to: object)); derive it from other values"
        case .usedWhileChanged:
            "\(object) was used while its value was being changed in place; read what the change needs before it"
        case .madeLate(let member):
            "\(member) has made a cell, an input, an output or an action after the init of its object; make it in the init"
        case .repeatsItself:
            "\(object) has caused itself 10,000 times in one step; stop at a condition, or continue with a timer"
        case .notSaved:
            "\(object) has no key, because it is not saved; write (.session), (.user) or (.daemon)"
        case .savedNameTwice(let name, let owner):
            "two saved values of \(owner) are called \(name); "
                + "rename one, also in a child, or write Cell(_:restoring:) with another name"
        }
    }

    private func way(through derived: String?, to object: String) -> String {
        guard let derived, !object.contains(derived) else { return "" }
        return " through \(derived)"
    }
}
