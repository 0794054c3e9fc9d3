import Glibc
import NIOCore

/// The output of one connection: `send(2)` on the channel's own descriptor, and the channel for the other bytes.
///
/// Most sockets accept all bytes at once. The direct call then costs one system call, and no buffer and no promise of
/// the channel. It is correct under these invariants:
///
/// - It runs on the channel's loop, between `channelActive` and `channelInactive`. The channel owns the descriptor and
///   closes it on this loop. It calls `channelInactive` before other code on the loop can run, so the number still
///   names this socket.
/// - No write of the channel is in flight. The bytes would overtake those of the channel.
/// - The call neither blocks nor raises SIGPIPE (`MSG_DONTWAIT`, `MSG_NOSIGNAL`).
/// - The call reports no error. The channel writes the bytes that the kernel has not accepted. It meets a lasting error
///   again, and closes.
///
/// The state machine guarantees the first two with ``ConnectionStateMachine/Outgoing/isDirect``.
package struct SocketWriter {
    /// The descriptor of a Unix-domain stream socket, owned by the channel.
    let descriptor: Int32

    func send(_ bytes: [UInt8]) -> Int {
        bytes.withUnsafeBytes { Self.send($0, to: descriptor) }
    }

    /// Sends bytes to the kernel, under the invariants above.
    ///
    /// - Returns: the number of bytes that the kernel accepted, 0 after an error.
    package static func send(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int {
        let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
        return max(0, Glibc.send(descriptor, bytes.baseAddress, bytes.count, flags))
    }

    /// Passes bytes to the channel, which writes them once the socket is writable.
    func write(_ bytes: ArraySlice<UInt8>, through channel: any Channel) -> EventLoopFuture<Void> {
        channel.writeAndFlush(channel.allocator.buffer(bytes: bytes))
    }

    /// Returns the bytes that the channel buffers because the kernel has not accepted them.
    ///
    /// A channel below its watermark counts as empty.
    func backlog(of channel: any Channel) -> Int {
        if channel.isWritable { return 0 }
        return (try? channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
    }

    func closeAfterWrites(_ channel: any Channel) {
        // The future of an empty write completes after all writes before it.
        channel.writeAndFlush(ByteBuffer()).whenComplete { _ in channel.close(promise: nil) }
    }
}
