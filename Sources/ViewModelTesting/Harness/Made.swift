import Synchronization
import ViewModelHost
import ViewModelKit

/// Keeps what a factory made, or its error, which the host would log and keep from its clients.
final class Made<Type: ViewModel>: Sendable {
    private let failure = Mutex<(any Error)?>(nil)
    private let made = Mutex<LoopConfined<(Type, Graph)>?>(nil)
    private let loop: ManualLoop

    init(_ loop: ManualLoop) {
        self.loop = loop
    }

    var error: (any Error)? { failure.withLock { $0 } }

    var viewModel: (Type, Graph)? { made.withLock { $0 }?.value }

    func note(_ error: any Error) {
        failure.withLock { $0 = error }
    }

    func note(_ viewModel: Type, _ graph: Graph) {
        let confined = LoopConfined((viewModel, graph), on: loop)
        made.withLock { $0 = confined }
    }
}
