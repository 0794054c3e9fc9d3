import Glibc
import NIOCore

/// Tells whether a slow client still reads.
///
/// The kernel holds megabytes for a client. A ping behind them arrives late, and the channel accepts bytes again only when
/// a third of them has left.
struct ReaderProgress {
    private var unsent: Int32 = 0

    /// Returns whether the kernel holds bytes for the client, and another number of them than at the last call.
    mutating func advances(_ context: ChannelHandlerContext?) -> Bool {
        let former = unsent
        unsent = 0
        let pipeline = context?.pipeline.syncOperations
        let descriptor = try? pipeline?.withUnsafeTransportIfAvailable(of: CInt.self) { $0 }
        guard let descriptor, ioctl(descriptor, UInt(TIOCOUTQ), &unsent) == 0 else { return false }
        return unsent > 0 && unsent != former
    }
}
