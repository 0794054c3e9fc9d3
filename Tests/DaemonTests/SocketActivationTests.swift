import Foundation
import TestSupport
import Testing
import ViewModelProtocol

/// Sockets that a service manager made, and the daemon that accepts at them.
@Suite struct SocketActivationTests {
    @Test func `two sockets are served at once, and stay when the daemon has gone`() async throws {
        let folder = try TemporaryFolder.make()
        defer { TemporaryFolder.remove(folder) }
        let sockets = [PassedSocket("\(folder)/a.sock"), PassedSocket("\(folder)/b.sock")]
        defer { withExtendedLifetime(sockets) {} }
        chmod(sockets[0].path, 0o666)
        let manager = DatagramSocket()
        var settings = ServiceSettings.notifying(manager)
        settings.sockets = sockets.map(\.descriptor)
        let end = try await withSupervisedDaemon(settings, folder: folder, arguments: ["--lab"]) { _ in
            try await manager.wait(for: "Listening at \(sockets[0].path), \(sockets[1].path)")
            let connections = try sockets.map { try RawConnection($0.path) }
            for (number, connection) in connections.enumerated() {
                #expect(try connection.call("lab.set", "[\(number)]")["result"] != nil)
            }
        }
        #expect(end.status == 0, "\(end.log)")
        var status = stat()
        #expect(lstat(sockets[0].path, &status) == 0 && status.st_mode == S_IFSOCK | 0o666)
        let left = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        #expect(left == ["a.sock", "b.sock", "state"], "no lock beside them")
    }

    @Test func `a client that comes before the daemon is answered when it is there`() async throws {
        let folder = try TemporaryFolder.make()
        defer { TemporaryFolder.remove(folder) }
        let socket = PassedSocket("\(folder)/a.sock")
        defer { withExtendedLifetime(socket) {} }
        let early = EarlyClients(path: socket.path)
        try await early.come()
        try await withSupervisedDaemon(ServiceSettings(sockets: [socket.descriptor]), folder: folder) { _ in
            let answers = try await early.answers()
            #expect(answers == 1)
        }
    }

    @Test func `clients that come while the daemon ends are answered by the next`() async throws {
        let folder = try TemporaryFolder.make()
        defer { TemporaryFolder.remove(folder) }
        let socket = PassedSocket("\(folder)/a.sock")
        defer { withExtendedLifetime(socket) {} }
        let manager = DatagramSocket()
        var settings = ServiceSettings.notifying(manager)
        settings.sockets = [socket.descriptor]
        settings.variables["VIEWMODELD_SHUTDOWN_GRACE_SECONDS"] = "1"
        let early = EarlyClients(path: socket.path)
        try await withSupervisedDaemon(settings, folder: folder, arguments: ["--lab"]) { process in
            try await manager.wait(for: "READY=1")
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

    @Test func `sockets of another process are not taken`() async throws {
        let folder = try TemporaryFolder.make()
        defer { TemporaryFolder.remove(folder) }
        let socket = PassedSocket("\(folder)/a.sock")
        defer { withExtendedLifetime(socket) {} }
        let manager = DatagramSocket()
        var settings = ServiceSettings.notifying(manager)
        settings.sockets = [socket.descriptor]
        settings.owner = "1"
        settings.variables["VIEWMODELD_SOCKET_PATH"] = "\(folder)/own.sock"
        try await withSupervisedDaemon(settings, folder: folder) { _ in
            let messages = try await manager.wait(for: "READY=1")
            #expect(messages == ["READY=1\nSTATUS=Listening at \(folder)/own.sock"])
        }
    }

    @Test(arguments: [false, true])
    func `the flag goes before the passed socket, and that before the configuration`(hasFlag: Bool) async throws {
        let folder = try TemporaryFolder.make()
        defer { TemporaryFolder.remove(folder) }
        let socket = PassedSocket("\(folder)/a.sock")
        defer { withExtendedLifetime(socket) {} }
        let manager = DatagramSocket()
        var settings = ServiceSettings.notifying(manager)
        settings.sockets = [socket.descriptor]
        settings.variables["VIEWMODELD_SOCKET_PATH"] = "\(folder)/own.sock"
        let flag = "\(folder)/flag.sock"
        let arguments = hasFlag ? ["--socket", flag] : []
        try await withSupervisedDaemon(settings, folder: folder, arguments: arguments) { _ in
            let messages = try await manager.wait(for: "READY=1")
            #expect(messages == ["READY=1\nSTATUS=Listening at \(hasFlag ? flag : socket.path)"])
        }
    }

    @Test func `a descriptor that is no listening socket ends the daemon with 73 and is named`() async throws {
        let folder = try TemporaryFolder.make()
        defer { TemporaryFolder.remove(folder) }
        let file = open("/dev/null", O_RDWR)
        defer { close(file) }
        let socket = PassedSocket("\(folder)/a.sock")
        defer { withExtendedLifetime(socket) {} }
        let settings = ServiceSettings(sockets: [socket.descriptor, file], waitsForEnd: true)
        let end = try await withSupervisedDaemon(settings, folder: folder)
        #expect(end.status == 73)
        #expect(end.log.contains("descriptor 4") && end.log.contains("is no socket"), "\(end.log)")
    }
}

/// A daemon that cannot start, and the clients that wait for it.
@Suite struct FailedActivationTests {
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
        let folder = try TemporaryFolder.make()
        defer { TemporaryFolder.remove(folder) }
        if code == 71 { try damageStore(in: folder) }
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
        let folder = try TemporaryFolder.make()
        defer { TemporaryFolder.remove(folder) }
        // A file in the place of the state directory.
        try Data().write(to: URL(fileURLWithPath: "\(folder)/state"))
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
        let folder = try TemporaryFolder.make()
        defer { TemporaryFolder.remove(folder) }
        try FileManager.default.createDirectory(atPath: "\(folder)/s", withIntermediateDirectories: true)
        let program = "\(TemporaryDaemon.programs)/viewmodelctl"
        try FileManager.default.copyItem(atPath: program, toPath: "\(folder)/viewmodelctl")
        let daemon = TemporaryDaemon(folder: folder, process: 0)
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

    private func damageStore(in folder: String) throws {
        let state = "\(folder)/state"
        try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: true)
        try Data(repeating: 7, count: 8192).write(to: URL(fileURLWithPath: "\(state)/viewmodeld.sqlite"))
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

    /// How many got a result.
    func answers() throws -> Int {
        try connections.count { try $0.message()["result"] != nil }
    }
}
