import NIOCore
import ViewModelServer

/// The output of one channel: `send(2)` on the channel's own descriptor, and the channel for the other bytes.
///
/// Most sockets accept all bytes at once. The direct call then costs one system call, and no promise of the channel.
/// It is correct under the invariants of `SocketWriter` in `ViewModelServer`:
///
/// - It runs on the channel's loop, and the channel owns the descriptor. Its handler drops the output in
///   `channelInactive`, before the number can name another socket.
/// - No write of the channel is in flight. The bytes would overtake those of the channel.
/// - The call neither blocks nor raises SIGPIPE, and reports no error. The channel meets a lasting error again.
///
/// Isolation: confined to the gateway's event loop.
final class ChannelOutput {
    /// The bytes that are not sent yet.
    @exclusivity(unchecked) var bytes = ByteBuffer()
    private let context: ChannelHandlerContext
    private let buffer: ReusableBuffer
    /// The descriptor of a channel whose bytes no other handler changes, else nil.
    private let descriptor: CInt?
    @exclusivity(unchecked) private var writesInFlight = 0

    /// Creates the output of an active channel, with the context of the last handler that writes.
    ///
    /// It is plain if no handler in front of it changes the bytes, as TLS does.
    init(_ context: ChannelHandlerContext, isPlain: Bool, buffer: ReusableBuffer) {
        self.context = context
        self.buffer = buffer
        let pipeline = context.pipeline.syncOperations
        descriptor = isPlain ? try? pipeline.withUnsafeTransportIfAvailable(of: CInt.self) { $0 } : nil
        // The empty write completes after all writes before it, of other handlers.
        write(ByteBuffer())
    }

    /// Whether the kernel has all bytes.
    var isSent: Bool { bytes.readableBytes == 0 && writesInFlight == 0 }

    /// Prepares ``bytes`` for the first bytes of a burst.
    func begin() {
        if bytes.capacity == 0 { swap(&bytes, &buffer.bytes) }
    }

    /// Sends the bytes.
    func flush() {
        if writesInFlight == 0, let descriptor, bytes.readableBytes > 0 {
            let sent = bytes.withUnsafeReadableBytes { SocketWriter.send($0, to: descriptor) }
            bytes.moveReaderIndex(forwardBy: sent)
        }
        if bytes.readableBytes > 0 {
            write(bytes)
            bytes = ByteBuffer()
        } else {
            bytes.clear()
            buffer.giveBack(&bytes)
        }
    }

    private func write(_ bytes: ByteBuffer) {
        writesInFlight += 1
        let promise = context.eventLoop.makePromise(of: Void.self)
        promise.futureResult.assumeIsolated().whenComplete { [weak self] _ in self?.writesInFlight -= 1 }
        context.writeAndFlush(NIOAny(bytes), promise: promise)
    }
}

/// The buffer that the channels of a loop use in turn, so that an idle channel has none.
final class ReusableBuffer {
    @exclusivity(unchecked) fileprivate var bytes = ByteBuffer()

    /// The longest buffer that is kept.
    private static let longest = 256 << 10

    /// Keeps an empty buffer, unless there is one.
    fileprivate func giveBack(_ former: inout ByteBuffer) {
        if bytes.capacity == 0, former.capacity <= Self.longest { swap(&former, &bytes) }
        former = ByteBuffer()
    }
}
