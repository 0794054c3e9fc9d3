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

    /// The members of the params.
    var members: [String] {
        switch self {
        case .set: ["output", "value"]
        case .on: ["member", "call", "result", "failure", "refusal", "delay", "progress", "set"]
        case .reset: []
        }
    }
}
