/// A ViewModel: a plain final class whose whole interface is its *inputs, outputs and actions*.
///
/// Write `@ViewModel` on the class. The macro adds this conformance and generates the contract from the declarations
/// and their doc comments. Isolation: confined to the session that created it; never `Sendable`.
public protocol ViewModel: PlacedMembers, SavingValues {
    /// The names, kinds, types and descriptions of all members that clients can see.
    static var contract: ViewModelContract<Self> { get }
}

/// Generates the contract of a ViewModel from its declarations.
///
/// The class is `final` and has up to four nested structs, each with a stored property: `Inputs` (`inputs`), `Outputs`
/// (`outputs`), `Actions` (`actions`) and `Children` (`children`). A nested `Arguments` describes the arguments of
/// `viewModel.open`. Doc comments become the descriptions that clients see.
///
/// The macro also writes the factory of a class with one initialiser, or none (``Injectable``).
///
/// - Parameters:
///   - name: the type's name on the wire. The default is the class's name with a lower-case first letter.
///   - former: the names on the wire that the type had. Instances and values that were saved under them are its own.
@attached(
    extension,
    conformances: ViewModel,
    Injectable,
    names: named(contract),
    named(dependencies),
    named(make),
    named(memberPlaces),
    named(savedValues),
    named(formerNames),
    named(checkMembers)
)
@attached(
    member,
    names: named(Inputs),
    named(Outputs),
    named(Actions),
    named(OwnActions),
    named(Children),
    named(inputs),
    named(outputs),
    named(actions),
    named(ownActions),
    named(children),
    named(init),
    named(memberWiring),
    named(ComputedOutputs),
    named(computedOutputs),
    named(makeComputedOutputs),
    named(makeInputs),
    named(makeOutputs),
    named(makeActions),
    named(makeOwnActions),
    named(makeChildren)
)
public macro ViewModel(_ name: String? = nil, formerly former: String...) =
    #externalMacro(module: "ViewModelMacros", type: "ViewModelMacro")

/// Declares the effect of a call of this action while another one executes.
///
/// The default is `exclusive`.
@attached(peer)
public macro Policy(_ policy: ActionPolicy) = #externalMacro(module: "ViewModelMacros", type: "MarkerMacro")

/// Declares that the value of an output differs between two runs with the same inputs, such as a position that follows
/// the clock, or a price from the network.
///
/// The contract says so, and the replay of a transcript does not compare the output. A sampled output,
/// `@Output(every: …)`, is volatile by itself.
///
///     /// The pages that are free on the disk.
///     @Volatile @Output private(set) var freePages = 0
@attached(peer)
public macro Volatile() = #externalMacro(module: "ViewModelMacros", type: "MarkerMacro")

/// A ViewModel that is notified of its bindings, for work that should run only while clients show it.
public protocol BindingObserver: AnyObject {
    /// Receives the number of clients that bind the instance.
    ///
    /// Called in a step of the session.
    func bindingsChanged(to count: Int)

    /// Updates the outputs before they are read or bound.
    ///
    /// Called in a step of the session.
    func willBeRead()
}
