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
