import NIOCore
import NIOPosix
import UnixIO
import ViewModelClient
import ViewModelCommands
import ViewModelTranscript

/// The driver of a replay over sockets.
///
/// Isolation: not `Sendable`.
final class ReplayPlayer {
    /// What happened outside of the replay.
    enum Event: Sendable {
        case message([UInt8], connection: Int)
        /// The wait until this time is over.
        case waited(ContinuousClock.Instant)
    }

    private var replay: Replay
    private let socket: String
    private var channels: [Int: any Channel] = [:]
    private let events = AsyncStream.makeStream(of: Event.self)

    init(_ replay: Replay, socket: String) {
        self.replay = replay
        self.socket = socket
    }

    var sessions: Set<String> { replay.sessions }

    /// Plays the whole transcript.
    ///
    /// Throws `CommandFailure` with the first difference; `ClientError` when the daemon cannot be reached.
    func play() async throws -> Replay.Counts {
        defer {
            for channel in channels.values { channel.close(promise: nil) }
        }
        var received = events.stream.makeAsyncIterator()
        while true {
            try Task.checkCancellation()
            switch replay.next() {
            case .open(let number): channels[number] = try await connect(number)
            case .send(let text, let number):
                guard let channel = channels[number] else { continue }
                // A connection that the daemon has closed is noticed by the missing reply.
                try? await channel.writeAndFlush(ByteBuffer(string: text + "\n"))
            case .close(let number): try? await channels.removeValue(forKey: number)?.close()
            case .pause(let duration):
                let end = ContinuousClock.now + duration
                while ContinuousClock.now < end, try await wait(&received, until: end) {}
            case .wait:
                guard try await wait(&received, until: .now + replay.patience) else { replay.expire(); continue }
            case .finished(let counts): return counts
            case .differs(let difference):
                throw CommandFailure(.failed, difference.description)
            }
        }
    }

    /// Waits for the next message; returns false if none has come in time.
    private func wait(
        _ received: inout AsyncStream<Event>.Iterator,
        until end: ContinuousClock.Instant
    ) async throws -> Bool {
        let continuation = events.continuation
        let timer = Task {
            try await Task.sleep(until: end)
            continuation.yield(.waited(end))
        }
        defer { timer.cancel() }
        while let event = await received.next(isolation: #isolation) {
            switch event {
            case .message(let text, let connection):
                replay.receive(text, on: connection)
                return true
            case .waited(end): return false
            case .waited: continue
            }
        }
        throw CancellationError()
    }

    private func connect(_ number: Int) async throws -> any Channel {
        let continuation = events.continuation
        do {
            return try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(
                            LineHandler { continuation.yield(.message($0, connection: number)) }
                        )
                    }
                }
                .withConnectedSocket(LocalSocket.connect(to: socket)).get()
        } catch {
            throw ClientError(connecting: socket, error)
        }
    }
}
