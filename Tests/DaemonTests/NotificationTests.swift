import Foundation
import GRDB
import TestSupport
import Testing
import ViewModelProtocol

/// What the daemon tells its service manager.
@Suite struct NotificationTests {
    private let folder = TemporaryFolder()
    private let manager = DatagramSocket()
    private var socket: String { "\(folder)/s/d.sock" }

    @Test func `the manager gets the number of actions that the end waits for`() async throws {
        let settings = ServiceSettings.notifying(manager, ["VIEWMODELD_SHUTDOWN_GRACE_SECONDS": "1"])
        let arguments = ["--lab", "--socket", socket]
        let end = try await withSupervisedDaemon(settings, folder: folder, arguments: arguments) { process in
            try await manager.wait(for: "READY=1")
            let connection = try RawConnection(socket)
            connection.sendLine(#"{"jsonrpc":"2.0","id":1,"method":"lab.sleep","params":{"milliseconds":60000}}"#)
            _ = try connection.call("viewModel.list", id: 2)
            kill(process, SIGTERM)
            let messages = try await manager.wait(for: "waiting")
            #expect(messages == ["STOPPING=1", "STATUS=Stopping", "STATUS=Stopping: waiting for 1 action"])
        }
        #expect(end.status == 0, "\(end.log)")
    }

    @Test func `the manager learns when a reload begins and when it ends`() async throws {
        let settings = ServiceSettings.notifying(manager)
        let end = try await withSupervisedDaemon(settings, folder: folder, arguments: ["--socket", socket]) { process in
            try await manager.wait(for: "READY=1")
            for _ in 0..<2 {
                kill(process, SIGHUP)
                try await manager.wait(for: "RELOADING=1")
                try await manager.wait(for: "READY=1")
            }
        }
        #expect(end.status == 0, "\(end.log)")
    }

    @Test func `a daemon whose manager has ended continues to run`() async throws {
        let settings = ServiceSettings(variables: ["NOTIFY_SOCKET": "\(folder)/no-manager"])
        let end = try await withSupervisedDaemon(settings, folder: folder, arguments: ["--socket", socket]) { _ in
            try await RawConnection.waitUntilListening(socket)
        }
        #expect(end.status == 0 && end.log.contains("was not notified"), "\(end.log)")
    }

    @Test func `signs of life go on while another process locks the store`() async throws {
        let settings = ServiceSettings.notifying(manager, watchdog: 2000)
        let end = try await withSupervisedDaemon(settings, folder: folder, arguments: ["--socket", socket]) { _ in
            try await manager.wait(for: "READY=1")
            for _ in 0..<3 { try await manager.wait(for: "WATCHDOG=1") }
            var configuration = Configuration()
            // The lock is held from one call to another.
            configuration.allowsUnsafeTransactions = true
            // The daemon may be writing in this moment.
            configuration.busyMode = .timeout(20)
            let file = try DatabaseQueue(path: "\(folder)/state/viewmodeld.sqlite", configuration: configuration)
            try await lock(file, "BEGIN EXCLUSIVE")
            // A sign may be due to what was written before the lock. Those that follow come from writes that failed.
            for _ in 0..<3 { try await manager.wait(for: "WATCHDOG=1") }
            try await lock(file, "ROLLBACK")
            try await manager.wait(for: "WATCHDOG=1")
        }
        #expect(end.status == 0, "\(end.log)")
    }

    @Test func `no sign of life is given to a manager that watches another process`() async throws {
        let settings = ServiceSettings.notifying(manager, watchdog: 40, ["WATCHDOG_PID": "1"])
        let arguments = ["--lab", "--socket", socket]
        try await withSupervisedDaemon(settings, folder: folder, arguments: arguments) { _ in
            try await manager.wait(for: "READY=1")
            // Long enough for many signs.
            _ = try RawConnection(socket).call("lab.sleep", #"{"milliseconds":500}"#)
        }
        #expect(manager.receiveAll() == ["STOPPING=1", "STATUS=Stopping"])
    }

    private func lock(_ file: DatabaseQueue, _ statement: String) async throws {
        try await file.writeWithoutTransaction { try $0.execute(sql: statement) }
    }
}
