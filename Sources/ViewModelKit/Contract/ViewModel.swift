/// A ViewModel: a plain final class with the triad *inputs, outputs, actions* as its whole surface.
///
/// Write `@ViewModel` on the class; the macro adds this conformance and writes the contract down from the
/// declarations and their doc comments. Isolation: confined to the session that made it; never `Sendable`.
public protocol ViewModel: AnyObject, SendableMetatype {
    /// The names, kinds, types and descriptions of everything that clients can see.
    static var contract: ViewModelContract<Self> { get }
}

/// Writes down the contract of a ViewModel from its declarations.
///
/// The class is `final` and has up to four nested structs with a stored property each: `Inputs` (`inputs`),
/// `Outputs` (`outputs`), `Actions` (`actions`), `Children` (`children`); a nested `Arguments` describes what
/// `viewModel.open` takes. Doc comments become the descriptions that clients see.
///
/// - Parameter name: the type's name on the wire; by default the class's, beginning in lower case.
@attached(extension, conformances: ViewModel, names: named(contract))
public macro ViewModel(_ name: String? = nil) = #externalMacro(module: "ViewModelMacros", type: "ViewModelMacro")

/// Declares what a call of this action does while another one is executing; `exclusive` without it.
@attached(peer)
public macro Policy(_ policy: ActionPolicy) = #externalMacro(module: "ViewModelMacros", type: "PolicyMacro")

/// A ViewModel that wants to know whether somebody looks, for what should run only while shown.
public protocol BindingObserver: AnyObject {
    /// Tells how many clients bind the instance now; called in a step of the session.
    func bindingsChanged(to count: Int)

    /// Tells that the outputs are about to be read or bound; called in a step of the session.
    func willBeRead()
}
