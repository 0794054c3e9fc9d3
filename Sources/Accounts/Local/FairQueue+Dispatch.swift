import Dispatch
import ViewModelProtocol

extension FairQueue where Element == @Sendable () -> Void {
    /// Creates a queue of long computations, which run one after the other on the thread of a dispatch queue.
    convenience init(on thread: DispatchQueue) {
        self.init { queue in
            thread.async { while let work = queue.next() { work() } }
        }
    }
}
