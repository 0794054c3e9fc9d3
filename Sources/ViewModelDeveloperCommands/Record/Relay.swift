import Glibc
import NIOCore
import NIOPosix
import Synchronization
import UnixIO
import ViewModelClient
import ViewModelCommands
import ViewModelTranscript

/// A relay between clients and a daemon that shows the messages to an observer and changes no byte.
///
/// A side that does not read holds back the other one. The relay itself keeps one unfinished message of each side at the
/// most, and an observer has to limit what it keeps.
struct Relay: Sendable {
    typealias Side = NIOAsyncChannel<ByteBuffer, ByteBuffer>

    /// The path of the daemon's socket.
    let daemon: String
    /// The session whose connections are observed, or nil for all.
    let session: String?
    let observe: @Sendable () -> ConnectionObserver

    /// Listens at a path, with mode 0600.
    func listen(at path: String) async throws -> NIOAsyncChannel<Side, Never> {
        do {
            return try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .childChannelOption(.allowRemoteHalfClosure, value: true)
                .bind(Self.boundSocket(at: path)) { Self.side($0) }
        } catch {
            let isUsed = (error as? SystemError)?.code == EADDRINUSE
            let reason = isUsed ? "a file is there already" : ClientError.reason(of: error)
            throw CommandFailure.usage(
                "cannot listen at \(path): \(LocalAddress.excess(of: path) ?? reason)",
                remedy: isUsed ? "Remove it, or name another path with --listen" : "Name another path with --listen"
            )
        }
    }

    /// Returns a socket that is bound to a path with mode 0600.
    ///
    /// The kernel refuses connections until it listens, so nobody connects before the mode is set.
    private static func boundSocket(at path: String) throws -> CInt {
        let descriptor = try LocalSocket.make()
        var isBound = false
        do {
            try LocalSocket.bind(descriptor, to: path)
            isBound = true
            guard chmod(path.cPath, 0o600) == 0 else { throw SystemError.last }
        } catch {
            close(descriptor)
            if isBound { unlink(path.cPath) }
            throw error
        }
        return descriptor
    }

    private static func side(_ channel: any Channel) -> EventLoopFuture<Side> {
        channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.setCloseOnExec()
            return try Side(
                wrappingChannelSynchronously: channel,
                configuration: .init(isOutboundHalfClosureEnabled: true)
            )
        }
    }

    /// Serves clients until the task is cancelled.
    func serve(_ server: NIOAsyncChannel<Side, Never>) async throws {
        try await server.executeThenClose { clients in
            try await withThrowingDiscardingTaskGroup { group in
                for try await client in clients {
                    group.addTask { try? await relay(client) }
                }
            }
        }
    }

    private func relay(_ client: Side) async throws {
        let record = RelayRecord(session, observe)
        defer { record.close() }
        try await client.executeThenClose { fromClient, toClient in
            let daemon = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .channelOption(.allowRemoteHalfClosure, value: true)
                .withConnectedSocket(LocalSocket.connect(to: daemon)) { Self.side($0) }
            try await daemon.executeThenClose { fromDaemon, toDaemon in
                try await withThrowingTaskGroup(of: Bool.self) { group in
                    defer { group.cancelAll() }
                    group.addTask {
                        for try await bytes in fromClient {
                            record.received(bytes, isFromClient: true)
                            try await toDaemon.write(bytes)
                        }
                        record.endInput()
                        // A client that has only closed its writing side still gets its replies.
                        toDaemon.finish()
                        return false
                    }
                    group.addTask {
                        for try await bytes in fromDaemon {
                            record.received(bytes, isFromClient: false)
                            try await toClient.write(bytes)
                        }
                        toClient.finish()
                        return true
                    }
                    while let isOver = try await group.next(), !isOver {}
                }
            }
        }
    }
}

/// The longest message that is recorded, in bytes.
private let longestMessage = 16 << 20

private final class RelayRecord: Sendable {
    private struct State {
        var fromClient = MessageFraming(maximumMessageBytes: longestMessage)
        var fromDaemon = MessageFraming(maximumMessageBytes: longestMessage)
        var recording: ConnectionObserver?
    }

    private let session: String?
    private let observe: @Sendable () -> ConnectionObserver
    private let state: Mutex<State>

    init(_ session: String?, _ observe: @escaping @Sendable () -> ConnectionObserver) {
        self.session = session
        self.observe = observe
        state = Mutex(State(recording: session == nil ? observe() : nil))
    }

    /// Records the messages in bytes of one side.
    func received(_ buffer: ByteBuffer, isFromClient: Bool) {
        buffer.withUnsafeReadableBytes { record($0, isFromClient: isFromClient) }
    }

    /// Handles the end of the client's input, which ends its last line.
    func endInput() {
        let isInLine = state.withLock { $0.fromClient.mode == .lines && $0.fromClient.bufferedBytes > 0 }
        if isInLine { [UInt8(ascii: "\n")].withUnsafeBytes { record($0, isFromClient: true) } }
    }

    func close() {
        state.withLock { state in
            state.recording?(.closed)
            state.recording = nil
        }
    }

    private func record(_ bytes: Bytes, isFromClient: Bool) {
        state.withLock { state in
            var framing = isFromClient ? state.fromClient : state.fromDaemon
            framing.determineMode(from: bytes)
            _ = framing.consume(bytes) { event in
                if isFromClient {
                    if case .message(let message) = event { follow(message, &state) }
                    state.recording?(ObservedEvent(event))
                } else if case .message(let message) = event {
                    state.recording?(.sent(Array(message)))
                }
                return .proceed
            }
            if isFromClient { state.fromClient = framing } else { state.fromDaemon = framing }
        }
    }

    /// Begins and ends the record of a connection that attaches to the wanted session, or to another one.
    private func follow(_ message: Bytes, _ state: inout State) {
        guard let session, let value = JSONValue(text: Array(message)),
            value["method"]?.stringValue == SessionAttach.name
        else { return }
        if value["params"]?["session"]?.stringValue == session {
            if state.recording == nil { state.recording = observe() }
        } else {
            state.recording?(.closed)
            state.recording = nil
        }
    }
}
