import NIOCore
import Testing

@testable import ViewModelGateway

/// The output of a channel, on real sockets, and the buffer that outputs share.
@Suite(.timeLimit(.minutes(2))) struct ChannelOutputTests {
    /// The handler whose context the output uses.
    private final class Writer: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
    }

    /// Changes the bytes on their way out, as TLS does.
    private final class Encryption: ChannelOutboundHandler {
        typealias OutboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            let bytes = ByteBuffer(bytes: unwrapOutboundIn(data).readableBytesView.map { $0 ^ 0xFF })
            context.write(wrapOutboundOut(bytes), promise: promise)
        }
    }

    /// Returns the context of a handler at the end of the pipeline.
    private static func context(_ channel: any Channel) throws -> ChannelHandlerContext {
        let writer = Writer()
        try channel.pipeline.syncOperations.addHandler(writer)
        return try channel.pipeline.syncOperations.context(handler: writer)
    }

    @Test func `a peer that reads late gets all bytes in their order`() async throws {
        try await ConnectedChannel.run { connection in
            let channel = connection.channel
            // More than a socket holds, so that the kernel takes whole bursts, a part of one, and none.
            let bursts = (0..<64).map { number in (0..<50_000).map { UInt8(truncatingIfNeeded: number &* 31 &+ $0) } }
            let output = try await channel.eventLoop.submit {
                let output = ChannelOutput(try Self.context(channel), isPlain: true, buffer: ReusableBuffer())
                for burst in bursts.prefix(32) {
                    output.begin()
                    output.bytes.writeBytes(burst)
                    output.flush()
                }
                return NIOLoopBound(output, eventLoop: channel.eventLoop)
            }.get()
            // The rest is written while the socket gets free again.
            let later = channel.eventLoop.submit {
                for burst in bursts.suffix(32) {
                    output.value.begin()
                    output.value.bytes.writeBytes(burst)
                    output.value.flush()
                }
            }
            let expected = bursts.flatMap(\.self)
            #expect(connection.read(expected.count) == expected)
            try await later.get()
        }
    }

    @Test func `a write that the channel has begun before is not overtaken`() async throws {
        try await ConnectedChannel.run { connection in
            let channel = connection.channel
            // Fills the socket, so that a part stays in the channel.
            let first = [UInt8](repeating: 1, count: 1 << 20)
            try await channel.eventLoop.submit {
                let context = try Self.context(channel)
                context.writeAndFlush(NIOAny(ByteBuffer(bytes: first)), promise: nil)
                let output = ChannelOutput(context, isPlain: true, buffer: ReusableBuffer())
                output.bytes.writeBytes([2])
                // The peer makes room while the first bytes are still in the channel.
                _ = connection.read(1 << 16)
                output.flush()
            }.get()
            let rest = connection.read(first.count - (1 << 16) + 1)
            #expect(rest.last == 2)
            #expect(rest.dropLast().allSatisfy { $0 == 1 })
        }
    }

    @Test(arguments: [true, false])
    func `bytes go through a handler that encrypts them, and around one that does not`(isPlain: Bool) async throws {
        try await ConnectedChannel.run { connection in
            let channel = connection.channel
            try await channel.eventLoop.submit {
                try channel.pipeline.syncOperations.addHandler(Encryption())
                let output = ChannelOutput(try Self.context(channel), isPlain: isPlain, buffer: ReusableBuffer())
                let bound = NIOLoopBound(output, eventLoop: channel.eventLoop)
                // The output's empty write has ended.
                channel.eventLoop.execute {
                    bound.value.bytes.writeBytes([1, 2])
                    bound.value.flush()
                }
            }.get()
            #expect(connection.read(2) == (isPlain ? [1, 2] : [0xFE, 0xFD]))
        }
    }

    @Test func `outputs use one buffer in turn, and an idle output has none`() async throws {
        try await ConnectedChannel.run { connection in
            let channel = connection.channel
            try await channel.eventLoop.submit {
                let buffer = ReusableBuffer()
                let context = try Self.context(channel)
                let first = ChannelOutput(context, isPlain: true, buffer: buffer)
                let second = ChannelOutput(context, isPlain: true, buffer: buffer)
                let outputs = NIOLoopBound((first, second), eventLoop: channel.eventLoop)
                return channel.eventLoop.submit {
                    let (first, second) = outputs.value
                    first.begin()
                    #expect(first.bytes.capacity == 0)
                    first.bytes.writeBytes([UInt8](repeating: 1, count: 1000))
                    let storage = first.bytes.withUnsafeReadableBytes { $0.baseAddress }
                    first.flush()
                    #expect(first.bytes.capacity == 0)
                    second.begin()
                    #expect(second.bytes.capacity >= 1000)
                    #expect(second.bytes.readableBytes == 0)
                    second.bytes.writeInteger(UInt8(2))
                    #expect(second.bytes.withUnsafeReadableBytes { $0.baseAddress } == storage)
                    // While one output has the buffer, the other one makes its own, and one of them is kept.
                    first.begin()
                    #expect(first.bytes.capacity == 0)
                    first.bytes.writeInteger(UInt8(3))
                    second.flush()
                    first.flush()
                    #expect(first.bytes.capacity == 0 && second.bytes.capacity == 0)
                    first.begin()
                    first.bytes.writeInteger(UInt8(4))
                    #expect(first.bytes.withUnsafeReadableBytes { $0.baseAddress } == storage)
                    first.flush()
                }
            }.get().get()
            #expect(connection.read(1003).suffix(3) == [2, 3, 4])
        }
    }

    @Test(arguments: [(256 << 10, true), (512 << 10, false)])
    func `a long buffer is not kept`(capacity: Int, isKept: Bool) async throws {
        try await ConnectedChannel.run { connection in
            let channel = connection.channel
            try await channel.eventLoop.submit {
                let buffer = ReusableBuffer()
                let output = ChannelOutput(try Self.context(channel), isPlain: true, buffer: buffer)
                let bound = NIOLoopBound(output, eventLoop: channel.eventLoop)
                return channel.eventLoop.submit {
                    bound.value.bytes.reserveCapacity(capacity)
                    bound.value.bytes.writeInteger(UInt8(1))
                    bound.value.flush()
                    #expect(bound.value.bytes.capacity == 0)
                    bound.value.begin()
                    #expect((bound.value.bytes.capacity > 0) == isKept)
                }
            }.get().get()
            #expect(connection.read(1) == [1])
        }
    }
}
