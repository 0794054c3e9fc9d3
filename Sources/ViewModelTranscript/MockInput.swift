import ViewModelContract

/// An input of the ViewModel `mock`, which scripts the ViewModels of a mock (`docs/mock.md`).
///
/// `rpc.discover` does not list that ViewModel.
enum MockInput: String {
    case set = "mock.set"
    case on = "mock.on"
    case reset = "mock.reset"

    /// Creates the input that a method names; nil if the contract itself has a ViewModel `mock`.
    init?(_ method: String, in contract: Contract) {
        guard contract.type("mock") == nil else { return nil }
        self.init(rawValue: method)
    }

    /// The members of the params that never have a secret.
    var plainMembers: [String] {
        switch self {
        case .set: ["output"]
        case .on: ["member", "call", "delay", "progress"]
        case .reset: []
        }
    }
}
