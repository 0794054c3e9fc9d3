import Foundation
import TestSupport
import Testing
import ViewModelProtocol

/// Sockets that a service manager made, and the daemon that accepts at them.
@Suite struct SocketActivationTests {
    private let folder = TemporaryFolder()
    private let socket = PassedSocket()
    private let manager = DatagramSocket()

    @Test func `two sockets are served at once, and stay when the daemon has gone`() async throws {
        let other = PassedSocket()
        chmod(socket.path, 0o666)
        var settings = ServiceSettings.notifying(manager)
        settings.sockets = [socket.descriptor, other.descriptor]
        let end = try await withSupervisedDaemon(settings, folder: folder, arguments: ["--lab"]) { _ in
            try await manager.wait(for: "Listening at \(socket.path), \(other.path)")
            let connections = try [socket, other].map { try RawConnection($0.path) }
            for (number, connection) in connections.enumerated() {
                #expect(try connection.call("lab.set", "[\(number)]")["result"] != nil)
            }
        }
        #expect(end.status == 0, "\(end.log)")
        var status = stat()
        #expect(lstat(socket.path, &status) == 0 && status.st_mode == S_IFSOCK | 0o666)
        #expect(!FileManager.default.fileExists(atPath: "\(other.path).lock"), "no lock beside them")
    }

    @Test func `clients that come before the daemon, and while it ends, are answered by the next`() async throws {
        let settings = ServiceSettings.notifying(manager, socket: socket, ["VIEWMODELD_SHUTDOWN_GRACE_SECONDS": "1"])
        let early = EarlyClients(path: socket.path)
        try await early.come()
        try await withSupervisedDaemon(settings, folder: folder, arguments: ["--lab"]) { process in
            try await manager.wait(for: "READY=1")
            let answers = try await early.answers()
            #expect(answers == 1)
            let busy = try RawConnection(socket.path)
            busy.sendLine(#"{"jsonrpc":"2.0","id":1,"method":"lab.sleep","params":{"milliseconds":60000}}"#)
            _ = try busy.call("viewModel.list", id: 2)
            kill(process, SIGTERM)
            try await manager.wait(for: "waiting")
            try await early.come()
            _ = try busy.rest()
            try await early.come()
        }
        try await early.come()
        try await withSupervisedDaemon(settings, folder: folder) { _ in
            let answers = try await early.answers()
            #expect(answers == 3)
        }
    }

    @Test(arguments: [("1", nil, "own"), ("$$", "flag", "flag"), ("$$", nil, "passed")])
    func `the flag goes before a socket that is passed to the daemon, and that before the configuration`(
        owner: String,
        flag: String?,
        listensAt place: String
    ) async throws {
        let own = ["VIEWMODELD_SOCKET_PATH": "\(folder)/own.sock"]
        var settings = ServiceSettings.notifying(manager, socket: socket, own)
        settings.owner = owner
        let arguments = flag.map { ["--socket", "\(folder)/\($0).sock"] } ?? []
        try await withSupervisedDaemon(settings, folder: folder, arguments: arguments) { _ in
            let messages = try await manager.wait(for: "READY=1")
            let path = place == "passed" ? socket.path : "\(folder)/\(place).sock"
            #expect(messages == ["READY=1\nSTATUS=Listening at \(path)"])
        }
    }

    @Test func `a descriptor that is no listening socket ends the daemon with 73 and is named`() async throws {
        let file = open("/dev/null", O_RDWR)
        defer { close(file) }
        let settings = ServiceSettings(sockets: [socket.descriptor, file], waitsForEnd: true)
        let end = try await withSupervisedDaemon(settings, folder: folder)
        #expect(end.status == 73)
        #expect(end.log.contains("descriptor 4") && end.log.contains("is no socket"), "\(end.log)")
    }
}

/// A daemon that cannot start, and the clients that wait for it.
@Suite struct FailedActivationTests {
    private let folder = TemporaryFolder()

    @Test(
        arguments: [
            (64, ["--nonsense"], "--nonsense"), (71, [], "viewmodeld.sqlite"),
            (78, ["--config", "none.yaml"], "none.yaml"),
        ] as [(Int, [String], String)]
    )
    func `clients that wait learn why the daemon does not start, so that they do not start it again`(
        code: Int,
        arguments: [String],
        reason: String
    ) async throws {
        if code == 71 { try folder.write(String(repeating: "7", count: 8192), to: "state/viewmodeld.sqlite") }
        let socket = PassedSocket("\(folder)/a.sock")
        let clients = try [RawConnection(socket.path), RawConnection(socket.path)]
        clients[1].sendLine(#"{"jsonrpc":"2.0","id":1,"method":"viewModel.list"}"#)
        let settings = ServiceSettings(sockets: [socket.descriptor], waitsForEnd: true)
        let end = try await withSupervisedDaemon(settings, folder: folder, arguments: arguments)
        #expect(end.status == code, "\(end.log)")
        #expect(!hasWaitingClient(socket))
        for client in clients {
            let line = try #require(try client.line())
            let start = #"{"jsonrpc":"2.0","id":null,"error":{"code":-32007,"message":"The daemon cannot start""#
            #expect(line.hasPrefix(start) && line.contains(reason), "\(line)")
            #expect(try client.line() == nil)
        }
    }

    @Test func `clients wait for the next start after a failure that may pass`() async throws {
        // A file in the place of the state directory.
        try folder.write("", to: "state")
        let socket = PassedSocket("\(folder)/a.sock")
        let client = try RawConnection(socket.path)
        let settings = ServiceSettings(sockets: [socket.descriptor], waitsForEnd: true)
        let end = try await withSupervisedDaemon(settings, folder: folder)
        #expect(end.status == 73, "\(end.log)")
        #expect(withExtendedLifetime(client) { hasWaitingClient(socket) })
    }

    @Test(
        arguments: [
            (nil, "none.yaml"), (4009, "its configuration or the key of its vault is wrong"),
        ] as [(Int?, String)]
    )
    func `the command line prints the reason, and another user learns no detail`(
        uid: Int?,
        reason: String
    ) async throws {
        guard uid == nil || geteuid() == 0 else { return }
        try FileManager.default.createDirectory(atPath: "\(folder)/s", withIntermediateDirectories: true)
        let program = "\(TemporaryDaemon.programs)/viewmodelctl"
        try FileManager.default.copyItem(atPath: program, toPath: "\(folder)/viewmodelctl")
        let daemon = TemporaryDaemon(folder: folder.path, process: 0)
        let socket = PassedSocket(daemon.socket)
        chmod(socket.path, 0o666)
        async let status = daemon.ctl(as: uid.map { User($0) }, "--timeout", "120", "status")
        while !hasWaitingClient(socket) { try await Task.sleep(for: .milliseconds(10)) }
        let settings = ServiceSettings(sockets: [socket.descriptor], waitsForEnd: true)
        let end = try await withSupervisedDaemon(settings, folder: folder, arguments: ["--config", "none.yaml"])
        #expect(end.status == 78, "\(end.log)")
        let result = try await status
        #expect(result.status == 8)
        let errors = result.errors
        #expect(errors.contains("The daemon cannot start") && errors.contains(reason), "\(errors)")
        #expect(uid == nil || !result.errors.contains("none.yaml"), "\(result.errors)")
    }

    private func hasWaitingClient(_ socket: PassedSocket) -> Bool {
        var polled = pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&polled, 1, 0) == 1
    }
}

/// Clients that come before their daemon, send a request at once, and have time.
private actor EarlyClients {
    private let path: String
    private var connections: [RawConnection] = []

    init(path: String) {
        self.path = path
    }

    func come() throws {
        let connection = try RawConnection(path)
        connection.sendLine(#"{"jsonrpc":"2.0","id":1,"method":"viewModel.list"}"#)
        connections.append(connection)
    }

    /// How many of those that have come since the last call got a result.
    func answers() throws -> Int {
        defer { connections = [] }
        return try connections.count { try $0.message()["result"] != nil }
    }
}
