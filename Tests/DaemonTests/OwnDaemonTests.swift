import Foundation
import TestSupport
import Testing
import ViewModelProtocol
import ViewModelTesting

/// A daemon of another name, with a ViewModel, a flag and a service of its own, made with `ViewModelDaemon`.
@Suite struct OwnDaemonTests {
    private let folder = TemporaryFolder()

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

    @Test func `SIGTERM saves what a ViewModel writes before a save`() async throws {
        // No save takes place before SIGTERM, however slow the calls are. The end of a session would be one.
        let settings = "session: {saveIntervalMilliseconds: 600000, lingerSeconds: 600}\n"
        let file = try folder.write(settings, to: "d.yaml")
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
        let home: [String: String] = [
            "HOME": folder.path, "XDG_RUNTIME_DIR": "\(folder)/run", "XDG_CONFIG_HOME": "\(folder)/config",
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
        #expect(help.log.contains("app.pitch: low or high") && help.log.contains("app.room.echoes: a whole number"))
        #expect(try await daemonThatEnds("--version", of: .tallyd).log == "1.2.3\n")
        #expect(try await daemonThatEnds("--lab", of: .tallyd).status == 64)

        let file = try folder.write("limits: {batch: 3}\nlab: true\n", to: "d.yaml")
        let check = try await daemonThatEnds("--check-config", "--config", file, of: .tallyd)
        #expect(check.status == 78 && check.log.contains("tally-d: \(file):2: lab belongs to"), "\(check.log)")
        let many = home.merging(["TALLY_D_LIMITS_BATCH": "many"]) { $1 }
        let wrong = try await daemonThatEnds("--check-config", of: .tallyd, variables: many)
        #expect(wrong.status == 78 && wrong.log.contains("TALLY_D_LIMITS_BATCH: limits.batch"), "\(wrong.log)")
        let lap = home.merging(["TALLY_D_LAP": "1"]) { $1 }
        let odd = try await daemonThatEnds("--check-config", of: .tallyd, variables: lap)
        #expect(odd.status == 0 && odd.log.contains("TALLY_D_LAP: is not a variable"), "\(odd.log)")
    }

    @Test func `it takes a passed socket, tells the service manager, and uses its own credential`() async throws {
        let socket = PassedSocket("\(folder)/a.sock")
        defer { withExtendedLifetime(socket) {} }
        let manager = DatagramSocket()
        let variables = ["CREDENTIALS_DIRECTORY": folder.path]
        let settings = ServiceSettings.notifying(manager, watchdog: 200, socket: socket, variables)
        let key = Data((0..<32).map { _ in UInt8.random(in: 0...255) }).base64EncodedString()
        chmod(try folder.write("\(key)\n", to: "tally-d.key"), 0o600)
        let end = try await withSupervisedDaemon(settings, of: .tallyd, folder: folder) { _ in
            let messages = try await manager.wait(for: "READY=1")
            #expect(messages == ["READY=1\nSTATUS=Listening at \(socket.path)"])
            try await manager.wait(for: "WATCHDOG=1")
            #expect(try RawConnection(socket.path).call("tally.stroke")["result"] != nil)
        }
        #expect(end.status == 0, "\(end.log)")
        #expect(!FileManager.default.fileExists(atPath: "\(folder)/state/vault.key"), "the credential is the key")
    }

    @Test func `its settings come from the environment, then the file, then the program`() async throws {
        let text = "app:\n  seconds: 3\n  isLoud: true\n  room: {name: attic, echoes: 4}\n  token: hidden-1\n"
        let file = try folder.write(text, to: "d.yaml")
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
            try folder.write("app: {seconds: 4, pitch: high}\n", to: "d.yaml")
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
        let file = try folder.write(text + "\n", to: "d.yaml")
        let end = try await daemonThatEnds("--check-config", "--config", file, of: .tallyd)
        #expect(end.status == 78 && end.log.contains(message), "\(end.log)")
        #expect(!end.log.contains("hidden"))
    }

}
