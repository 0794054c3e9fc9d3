import Foundation
import GRDB
import TestSupport
import Testing
import ViewModelProtocol
import ViewModelTesting

/// A daemon of another name, with a ViewModel, a flag and a service of its own, made with `ViewModelDaemon`.
@Suite struct OwnDaemonTests {
    @Test func `its ViewModel, its flag and its service run, and clients get its name and version`() async throws {
        let end = try await withDaemon("--start", "9", of: .tallyd) { daemon in
            let connection = try daemon.connect()
            let attached = try connection.call("session.attach", #"{"session":"desk"}"#)
            #expect("\(attached)".contains("tally-d") && "\(attached)".contains("1.2.3"), "\(attached)")
            let read = try await daemon.ctl("read", "tally", "start")
            #expect(read.output == "{\"start\":9}\n", "\(read.errors)")
            try await daemon.waitForLog("The bell begins")
            // The lab and the reference ViewModels belong to viewmodeld.
            #expect(try await daemon.ctl("read", "lab").status == 4)
            #expect(try await daemon.ctl("metrics").status == 0)
        }
        #expect(end.status == 0, "\(end.log)")
        let lines = end.log.split(separator: "\n")
        let stopped = lines.firstIndex { $0.contains("Stopped") } ?? lines.endIndex
        let bell = lines.firstIndex { $0.contains("The bell ends") } ?? lines.startIndex
        #expect(stopped < bell, "the server stops first: \(end.log)")
    }

    @Test func `SIGTERM saves its sessions, and a later start restores them`() async throws {
        let folder = try TemporaryFolder.make()
        defer { TemporaryFolder.remove(folder) }
        for strokes in 1...2 {
            let end = try await withDaemon(of: .tallyd, folder: folder) { daemon in
                _ = try await daemon.ctl("--session", "desk", "call", "tally.stroke")
                let read = try await daemon.ctl("--session", "desk", "read", "tally", "strokes")
                #expect(read.output == "{\"strokes\":\(strokes)}\n", "\(read.errors)")
            }
            #expect(end.status == 0, "\(end.log)")
        }
    }

    @Test func `a value that no output shows is saved within the save interval`() async throws {
        try await withDaemon(of: .tallyd) { daemon in
            for touches in 1...2 {
                _ = try await daemon.ctl("--session", "desk", "call", "tally.touch")
                let end = ContinuousClock.now + .seconds(120)
                while try savedTouches(daemon) != "\(touches)" {
                    guard ContinuousClock.now < end else { throw RawConnection.Failure(what: daemon.log) }
                    try await Task.sleep(for: .milliseconds(20))
                }
            }
        }
    }

    private func savedTouches(_ daemon: TemporaryDaemon) throws -> String? {
        let database = try DatabaseQueue(path: "\(daemon.state)/viewmodeld.sqlite")
        return try database.read {
            try String.fetchOne($0, sql: "SELECT CAST(text AS TEXT) FROM sessionValue WHERE name = 'touches'")
        }
    }

    @Test func `SIGTERM saves what a ViewModel writes before a save`() async throws {
        let folder = try TemporaryFolder.make()
        defer { TemporaryFolder.remove(folder) }
        // No save takes place before SIGTERM, however slow the calls are. The end of a session would be one.
        let file = "\(folder)/d.yaml"
        let settings = "session: {saveIntervalMilliseconds: 600000, lingerSeconds: 600}\n"
        try Data(settings.utf8).write(to: URL(fileURLWithPath: file))
        for knocks in [0, 2] {
            let end = try await withDaemon("--config", file, of: .tallyd, folder: folder) { daemon in
                for _ in 1...2 { _ = try await daemon.ctl("--session", "desk", "call", "tally.knock") }
                let read = try await daemon.ctl("--session", "desk", "read", "tally", "knocks")
                #expect(read.output == "{\"knocks\":\(knocks)}\n", "\(read.errors)")
            }
            #expect(end.status == 0, "\(end.log)")
        }
    }

    @Test func `its files, directories and variables have its name`() async throws {
        let folder = try TemporaryFolder.make()
        defer { TemporaryFolder.remove(folder) }
        let home: [String: String] = [
            "HOME": folder, "XDG_RUNTIME_DIR": "\(folder)/run", "XDG_CONFIG_HOME": "\(folder)/config",
            "XDG_STATE_HOME": "\(folder)/state", "TALLY_D_LIMITS_BATCH": "3",
        ]
        let help = try await daemonThatEnds("--help", of: .tallyd, variables: home)
        #expect(help.status == 0 && !help.log.contains("viewmodeld/") && !help.log.contains("--lab"), "\(help.log)")
        for path in [
            "$XDG_RUNTIME_DIR/tally-d/tally-d.sock", "/run/tally-d/tally-d.sock", "/etc/tally-d/tally-d.yaml",
            "$XDG_CONFIG_HOME/tally-d/tally-d.yaml", "$XDG_STATE_HOME/tally-d", "/var/lib/tally-d",
        ] {
            #expect(help.log.contains(path), "\(path) in \(help.log)")
        }
        #expect(try await daemonThatEnds("--version", of: .tallyd).log == "1.2.3\n")

        let file = "\(folder)/d.yaml"
        try Data("limits: {batch: 3}\nlab: true\n".utf8).write(to: URL(fileURLWithPath: file))
        let check = try await daemonThatEnds("--check-config", "--config", file, of: .tallyd)
        #expect(check.status == 78 && check.log.contains("tally-d: \(file):2: lab belongs to"), "\(check.log)")
        let wrong = try await daemonThatEnds(
            "--check-config",
            of: .tallyd,
            variables: home.merging(["TALLY_D_LIMITS_BATCH": "many", "TALLY_D_LAP": "true"]) { $1 }
        )
        #expect(wrong.status == 78 && wrong.log.contains("TALLY_D_LIMITS_BATCH: limits.batch"), "\(wrong.log)")
        let odd = try await daemonThatEnds(
            "--check-config",
            of: .tallyd,
            variables: home.merging(["TALLY_D_LAP": "1"]) { $1 }
        )
        #expect(odd.status == 0 && odd.log.contains("TALLY_D_LAP: is not a variable"), "\(odd.log)")
    }

    @Test func `an unknown flag ends it with 64, and so does the lab's`() async throws {
        for flag in ["--nonsense", "--lab"] {
            #expect(try await daemonThatEnds(flag, of: .tallyd).status == 64)
        }
    }

    @Test func `a second start is refused with 73`() async throws {
        try await withDaemon(of: .tallyd) { daemon in
            for socket in [daemon.socket, "\(daemon.folder)/other.sock"] {
                let end = try await daemonThatEnds(
                    "--socket",
                    socket,
                    "--state-directory",
                    daemon.state,
                    of: .tallyd
                )
                #expect(end.status == 73 && end.log.contains("\(daemon.process)"), "\(end.log)")
            }
        }
    }

    @Test func `it takes a passed socket, tells the service manager, and uses its own credential`() async throws {
        let folder = try TemporaryFolder.make()
        defer { TemporaryFolder.remove(folder) }
        let socket = PassedSocket("\(folder)/a.sock")
        defer { withExtendedLifetime(socket) {} }
        let manager = DatagramSocket()
        var settings = ServiceSettings.notifying(manager, watchdog: 200)
        settings.sockets = [socket.descriptor]
        settings.variables["CREDENTIALS_DIRECTORY"] = folder
        let key = Data((0..<32).map { _ in UInt8.random(in: 0...255) }).base64EncodedString()
        try Data("\(key)\n".utf8).write(to: URL(fileURLWithPath: "\(folder)/tally-d.key"))
        chmod("\(folder)/tally-d.key", 0o600)
        let end = try await withSupervisedDaemon(settings, of: .tallyd, folder: folder) { _ in
            let messages = try await manager.wait(for: "READY=1")
            #expect(messages == ["READY=1\nSTATUS=Listening at \(socket.path)"])
            try await manager.wait(for: "WATCHDOG=1")
            #expect(try RawConnection(socket.path).call("tally.stroke")["result"] != nil)
        }
        #expect(end.status == 0, "\(end.log)")
        #expect(!FileManager.default.fileExists(atPath: "\(folder)/state/vault.key"), "the credential is the key")
    }

    @Test func `its vault command names its program`() async throws {
        let folder = try TemporaryFolder.make()
        defer { TemporaryFolder.remove(folder) }
        try await withDaemon(of: .tallyd, folder: folder) { _ in }
        let end = try await daemonThatEnds("vault", "rotate", "--state-directory", "\(folder)/state", of: .tallyd)
        #expect(end.status == 0 && end.log == "The vault has a new key.\n", "\(end.log)")
        let absent = try await daemonThatEnds("vault", "rotate", "--state-directory", "/nonexistent", of: .tallyd)
        #expect(absent.status == 73 && absent.log.hasPrefix("tally-d: /nonexistent"), "\(absent.log)")
    }

    /// Writes a configuration file.
    private func file(_ text: String, in folder: String) throws -> String {
        let file = "\(folder)/d.yaml"
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
        return file
    }

    @Test func `its settings come from the environment, then the file, then the program`() async throws {
        let folder = try TemporaryFolder.make()
        defer { TemporaryFolder.remove(folder) }
        let file = try file(
            "app:\n  seconds: 3\n  isLoud: true\n  room: {name: attic, echoes: 4}\n  token: hidden-1\n",
            in: folder
        )
        let variables = ["TALLY_D_APP_IS_LOUD": "false", "TALLY_D_APP_ROOM_NAME": "cellar"]
        try await withDaemon("--config", file, of: .tallyd, folder: folder, variables: variables) { daemon in
            let read = try await daemon.ctl("read", "chime")
            let values = try #require(JSONValue(text: Array(read.output.utf8)), "\(read.errors)")
            #expect(
                values == [
                    "pitch": "low", "seconds": 3, "isLoud": false, "room": ["name": "cellar", "echoes": 4],
                    "hasToken": true,
                ]
            )
            try Data("app: {seconds: 4, pitch: high}\n".utf8).write(to: URL(fileURLWithPath: file))
            kill(daemon.process, SIGHUP)
            try await daemon.waitForLog("need a restart")
            #expect(daemon.log.contains("app.isLoud") == false, "the environment has it")
            for key in ["app.pitch", "app.room.echoes", "app.seconds", "app.token"] {
                #expect(daemon.log.contains(key), "\(key) in \(daemon.log)")
            }
            #expect(!daemon.log.contains("hidden"))
        }
    }

    @Test(
        arguments: [
            ("app: {secondz: 3}", "d.yaml:1: there is no key app.secondz; did you mean app.seconds?"),
            ("log: {level: debug}\napp:\n  seconds: long", "d.yaml:3: app.seconds: expected a number, found \"long\""),
            ("app: {pitch: 7}", "d.yaml:1: app.pitch: expected low or high, found 7"),
            ("app: {isLoud: 1}", "app.isLoud: expected true or false, found 1"),
            ("app: {room: hall}", "d.yaml:1: app.room: expected a map with keys such as app.room.name"),
            ("app: {room: {echoes: 1.5}}", "app.room.echoes: expected a whole number, found 1.5"),
            ("app: {token: [hidden]}", "d.yaml:1: app.token: expected a text, found something else"),
            ("app: {homepage: ''}", "d.yaml:1: app.homepage: expected"),
        ]
    )
    func `a wrong setting ends the start with 78 and is named`(text: String, message: String) async throws {
        let folder = try TemporaryFolder.make()
        defer { TemporaryFolder.remove(folder) }
        let file = try file(text + "\n", in: folder)
        let end = try await daemonThatEnds("--check-config", "--config", file, of: .tallyd)
        #expect(end.status == 78 && end.log.contains(message), "\(end.log)")
        #expect(!end.log.contains("hidden"))
    }

    @Test func `its help lists its keys`() async throws {
        let help = try await daemonThatEnds("--help", of: .tallyd).log
        #expect(help.contains("app.pitch: low or high") && help.contains("app.room.echoes: a whole number"), "\(help)")
    }
}
