import Foundation
import Subprocess
import SystemPackage
import TestSupport
import Testing
import ViewModelProtocol
import ViewModelTranscript

/// `--record DIRECTORY` over a real socket.
@Suite(.timeLimit(.minutes(5))) struct RecordTests {
    private let folder = TemporaryFolder()

    @Test func `a recording has all messages of all connections and no password`() async throws {
        let directory = "\(folder)/new/records"
        let end = try await withDaemon("--lab", "--record", directory) { daemon in
            let first = try daemon.connect()
            _ = try first.call("login.password", #"["hunter2-\u0070assword"]"#)
            _ = try first.call("login.submit", #"{"password":"hunter2-password"}"#, id: 2)
            _ = try first.call("viewModel.bind", #"{"id":"calculator","outputs":["led"]}"#, id: 3)
            let second = try daemon.connect()
            let body = #"{"jsonrpc":"2.0","id":1,"method":"viewModel.list"}"#
            second.send("Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
            second.shutdownWriting()
            _ = try second.rest()
            first.sendLine(#"{"password":"hunter2-password""#)
            _ = try first.message()
            first.shutdownWriting()
            _ = try first.rest()
        }
        #expect(end.status == 0, "\(end.log)")
        let files = try FileManager.default.contentsOfDirectory(atPath: directory)
        let file = try #require(files.first)
        #expect(files.count == 1 && file.hasPrefix("viewmodeld-") && file.hasSuffix(".transcript"))
        let text = try folder.read("new/records/\(file)")
        #expect(!text.contains("hunter2") && !text.contains("0070assword"), "\(text)")
        func mode(_ path: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }
        #expect(try mode(directory) == 0o700)
        #expect(try mode("\(directory)/\(file)") == 0o600)
        let transcript = try Transcript(text)
        #expect(transcript.header.program == "viewmodeld \(Release.version)" && transcript.header.contract.count == 64)
        // The first connections are those that wait for the start.
        let numbers = Set(transcript.entries.map(\.connection)).sorted().suffix(2)
        let ofFirst = transcript.entries.filter { $0.connection == numbers.first }.map(\.event)
        #expect(ofFirst.first == .opened && ofFirst.last == .closed)
        #expect(ofFirst.contains(.unreadable("30 bytes, no JSON")))
        #expect(ofFirst.contains { if case .received(let text) = $0 { text.contains(#""led":"0""#) } else { false } })
        let ofSecond = transcript.entries.filter { $0.connection == numbers.last }.map(\.event)
        #expect(ofSecond.count == 4 && ofSecond[1] == .sent(#"{"jsonrpc":"2.0","id":1,"method":"viewModel.list"}"#))
    }

    @Test func `a directory that cannot be made ends the start with 73 and names it`() async throws {
        let file = try folder.write("a file", to: "taken")
        let end = try await daemonThatEnds(folder.places + ["--record", file])
        #expect(end.status == 73)
        #expect(end.log.contains("\(folder)/taken is not a directory; choose another directory with --record"))
    }
}

/// `viewmodelctl record` and `viewmodelctl replay` with real programs and files.
@Suite(.timeLimit(.minutes(5))) struct ReplayTests {
    private let folder = TemporaryFolder()

    /// Records two connections of one session with `--record`, and returns the text of the transcript.
    private func recording() async throws -> String {
        try await withDaemon("--lab", "--record", "\(folder)/records") { daemon in
            let desk = try daemon.connect()
            let phone = try daemon.connect()
            for connection in [desk, phone] {
                _ = try connection.call("session.attach", #"{"session":"desk"}"#)
                _ = try connection.call("viewModel.bind", #"{"id":"calculator"}"#, id: 2)
                _ = try connection.call("viewModel.bind", #"{"id":"lab"}"#, id: 3)
            }
            for (index, key) in ["1", "2", "+", "3", "="].enumerated() {
                _ = try desk.call("calculator.press", #"["\#(key)"]"#, id: 10 + index)
            }
            _ = try phone.call("lab.count", #"{"to":3,"every":20}"#, id: 20)
            let torn = try daemon.connect()
            torn.sendLine("{torn")
            _ = try torn.message()
            _ = try desk.call("calculator.press", #"["x"]"#, id: 21)
            _ = try desk.call("calculator.undo", id: 22)
        }
        return try folder.read(recorded)
    }

    /// The name of the transcript that `--record` has written.
    private var recorded: String {
        get throws {
            let names = try FileManager.default.contentsOfDirectory(atPath: "\(folder)/records")
            return "records/\(try #require(names.first))"
        }
    }

    @Test func `a transcript replays on another daemon, and the first difference is shown`() async throws {
        let text = try await recording()
        let changed = text.replacingOccurrences(of: #""led":"15""#, with: #""led":"16""#)
        try #require(changed != text)
        let good = try folder.write(text, to: "good")
        let torn = try folder.write(text + "0.1 1 > {\"jsonrpc", to: "torn")
        let different = try folder.write(changed, to: "changed")
        let other = try folder.write("hello\n", to: "other")
        try await withDaemon("--lab") { daemon in
            for file in [good, torn] {
                let equal = try await daemon.ctl("replay", "--timeout", "120", file)
                #expect(equal.status == 0 && equal.output.contains("equal: "), "\(equal)")
                #expect(equal.errors.isEmpty)
            }
            let bad = try await daemon.ctl("replay", "--timeout", "10", different)
            #expect(bad.status == 1, "\(bad)")
            #expect(bad.errors.contains("  calculator.led\n- \"16\"\n+ \"15\""), "\(bad.errors)")
            #expect(bad.errors.contains("calculator.press [\"=\"] on connection"), "\(bad.errors)")
            let ignoring = ["replay", "--timeout", "120", "--ignore", "calculator.led", different]
            #expect(try await daemon.ctl(arguments: ignoring).status == 0)
            let unread = try await daemon.ctl("replay", other)
            #expect(unread.status == 64 && unread.errors.contains("line 1"), "\(unread)")
            let sessions = try await daemon.ctl("sessions")
            #expect(!sessions.output.contains("replay-"), "\(sessions.output)")
        }
        // Without the ViewModel `lab`, the contract is another one.
        try await withDaemon { daemon in
            let bad = try await daemon.ctl("replay", "--timeout", "10", good)
            #expect(bad.status == 1 && bad.errors.contains("another contract"), "\(bad)")
        }
    }

    @Test func `record refuses an existing file, and a missing daemon is no connection`() async throws {
        let file = try folder.write("mine", to: "taken")
        try await withDaemon { daemon in
            let taken = try await daemon.ctl("record", file)
            #expect(taken.status == 64 && taken.errors.contains("remove it, or record to another file"), "\(taken)")
            #expect(try folder.read("taken") == "mine")
            let nobody = try await daemon.ctl("--socket", "\(folder)/nobody", "record", "\(folder)/new")
            #expect(nobody.status == 3, "\(nobody)")
            #expect(!FileManager.default.fileExists(atPath: "\(folder)/new"))
        }
    }

    /// Runs `viewmodelctl record` while `body` connects clients to its socket, and ends it with SIGINT.
    private func record(
        _ daemon: TemporaryDaemon,
        _ options: String...,
        clients body: (_ socket: String) async throws -> Void
    ) async throws -> (status: TerminationStatus, errors: String?) {
        let (socket, file) = ("\(folder)/relay", "\(folder)/new")
        let result = try await run(
            .path(FilePath("\(TemporaryDaemon.programs)/viewmodelctl")),
            arguments: Arguments(["--socket", daemon.socket] + options + ["record", "--listen", socket, file]),
            input: .none,
            output: .string(limit: 1 << 16),
            error: .string(limit: 1 << 16)
        ) { execution in
            try await ending(execution, with: .interrupt) {
                try await RawConnection.waitUntilListening(socket)
                try await body(socket)
            }
        }
        return (result.terminationStatus, result.standardError)
    }

    /// Records clients of a daemon with `viewmodelctl record`, and returns the transcript.
    private func relayed(
        by daemon: TemporaryDaemon,
        _ body: (_ socket: String) async throws -> Void
    ) async throws -> Transcript {
        let result = try await record(daemon, clients: body)
        #expect(result.status == .exited(0), "\(result)")
        #expect(!FileManager.default.fileExists(atPath: "\(folder)/relay"))
        return try Transcript(folder.read("new"))
    }

    @Test func `a client that does not read holds back neither others nor the record`() async throws {
        try await withDaemon { daemon in
            let transcript = try await relayed(by: daemon) { socket in
                let slow = try RawConnection(socket)
                for id in 0..<RawConnection.manyReplies {
                    slow.sendLine(#"{"jsonrpc":"2.0","id":\#(id),"method":"rpc.discover"}"#)
                }
                let other = try RawConnection(socket)
                for id in 0..<10 { #expect(try other.call("viewModel.list", id: id)["result"] != nil) }
                for id in 0..<RawConnection.manyReplies { #expect(try slow.message()["id"] == .integer(id)) }
            }
            let replies = transcript.entries.filter { entry in
                if case .received(let text) = entry.event { text.contains(#""result":"#) } else { false }
            }
            #expect(replies.count == RawConnection.manyReplies + 10)
        }
    }

    @Test func `a daemon that is killed ends the connections, and the record is whole`() async throws {
        try await withDaemon { daemon in
            let transcript = try await relayed(by: daemon) { socket in
                let client = try RawConnection(socket)
                #expect(try client.call("keypad.press", #"["1"]"#)["result"] != nil)
                kill(daemon.process, SIGKILL)
                #expect(try client.rest().isEmpty)
                // The relay lives on, and says with each end of a connection that nobody is there.
                #expect(try RawConnection(socket).rest().isEmpty)
            }
            let ofClient = transcript.entries.filter { entry in
                if case .sent = entry.event { true } else { false }
            }
            let number = try #require(ofClient.first?.connection)
            #expect(ofClient.count == 1)
            #expect(transcript.entries.last { $0.connection == number }?.event == .closed)
        }
    }

    @Test func `--secrets sends the secrets in place of their pseudonyms`() async throws {
        try await withDaemon("--record", "\(folder)/records") { daemon in
            let client = try daemon.connect()
            _ = try client.call("viewModel.bind", #"{"id":"login"}"#)
            _ = try client.call("login.password", #"["short"]"#, id: 2)
        }
        let text = try folder.read(recorded)
        let file = try "\(folder)/\(recorded)"
        #expect(text.contains("login.password") && !text.contains(#"["short"]"#), "\(text)")
        let pseudonym = try #require(text.firstMatch(of: /secret-[0-9a-f]{16}/)).output
        let secrets = try folder.write("\(pseudonym)=short\n", to: "secrets")
        let wrong = try folder.write("short\n", to: "wrong")
        try await withDaemon { daemon in
            let long = try await daemon.ctl("replay", "--timeout", "10", file)
            #expect(long.status == 1 && long.errors.contains("  login.passwordProblem\n- \""), "\(long)")
            #expect(long.errors.contains("has a pseudonym in place of a secret"), "\(long)")
            let equal = try await daemon.ctl("replay", "--timeout", "120", "--secrets", secrets, file)
            #expect(equal.status == 0, "\(equal)")
            let unread = try await daemon.ctl("replay", "--secrets", wrong, file)
            #expect(unread.status == 64)
            #expect(unread.errors.contains("line 1: the line is not PSEUDONYM=SECRET"), "\(unread)")
        }
    }

    /// A contract with passwords, as a person writes it.
    private static let safe = """
        x-viewModels:
          safe:
            inputs:
              pin: {schema: {type: string, format: password}}
            outputs:
              text: {schema: {type: string}}
              key:
                schema: {type: object, properties: {code: {type: string, format: password}, owner: {type: string}}}
            actions:
              open:
                params: {type: object, properties: {pin: {type: string, format: password}}}
                result: {type: object, properties: {token: {type: string, format: password}}, required: [token]}
        """

    /// Scripts the mock of the contract, and calls what was scripted.
    private static func useSafe(_ client: RawConnection) throws {
        _ = try client.call("session.attach", #"{"session":"desk"}"#)
        for (index, instance) in ["safe", "mock"].enumerated() {
            _ = try client.call("viewModel.bind", #"{"id":"\#(instance)"}"#, id: 2 + index)
        }
        let calls = [
            ("mock.set", #"{"output":"safe.text","value":"visible"}"#),
            ("mock.set", #"{"output":"safe.key","value":{"code":"hunter2-code","owner":"ada"}}"#),
            ("mock.on", #"{"member":"safe.open","result":{"token":"hunter2-token"},"set":{"safe.text":"opened"}}"#),
            ("safe.open", #"{"pin":"hunter2-pin"}"#),
            ("mock.on", #"{"member":"safe.open","failure":{"error":"jammed"}}"#),
            ("safe.open", #"{"pin":"hunter2-pin"}"#),
            ("mock.on", #"{"member":"safe.pin","refusal":{"expected":"another one","found":"hunter2-old"}}"#),
            ("safe.pin", #"["hunter2-new"]"#),
            ("mock.set", #"{"output":"safe.txt","value":"hunter2-typo"}"#),
            ("mock.set", #"{"output":"safe.key","value":{"code":true}}"#),
            ("mock.reset", "{}"),
        ]
        for (index, (method, params)) in calls.enumerated() { _ = try client.call(method, params, id: 10 + index) }
    }

    @Test func `a transcript of a mock replays, and the passwords in its scripts are hidden`() async throws {
        let contract = try folder.write(Self.safe, to: "contract.yaml")
        try await withDaemon("--mock", contract, "--record", "\(folder)/records") { daemon in
            _ = try await relayed(by: daemon) { socket in try Self.useSafe(RawConnection(socket)) }
        }
        let names = [try recorded, "new"]
        try await withDaemon("--mock", contract) { daemon in
            for name in names {
                let text = try folder.read(name)
                #expect(!text.contains("hunter2"), "\(text)")
                for part in [#""member":"safe.open""#, "visible", "opened", "jammed", "ada", "safe.txt", "not shown"] {
                    #expect(text.contains(part), "\(part)")
                }
                let replay = try await daemon.ctl("replay", "--timeout", "120", "\(folder)/\(name)")
                #expect(replay.status == 0 && replay.errors.isEmpty, "\(replay)")
            }
        }
    }

    @Test func `record warns once of a session that is older than the recording`() async throws {
        try await withDaemon { daemon in
            let owner = try daemon.connect()
            _ = try owner.call("session.attach", #"{"session":"old"}"#)
            let result = try await record(daemon) { socket in
                for session in ["new", "old", "new", "old"] {
                    let client = try RawConnection(socket)
                    let reply = try client.call("session.attach", #"{"session":"\#(session)"}"#)
                    #expect(reply["result"]?["session"] == .string(session))
                }
            }
            let warning = "the session old is older than the recording, which lacks its earlier values"
            #expect(result.errors == "viewmodelctl: warning: \(warning)\n")
        }
    }

    @Test func `record relays clients and writes those of the session`() async throws {
        try await withDaemon("--lab") { daemon in
            let result = try await record(daemon, "--session", "desk") { socket in
                let mode = try FileManager.default.attributesOfItem(atPath: socket)[.posixPermissions]
                #expect(mode as? Int == 0o600)
                let other = try RawConnection(socket)
                #expect(try other.call("lab.set", "[7]")["result"] != nil)
                let desk = try RawConnection(socket)
                _ = try desk.call("session.attach", #"{"session":"desk"}"#)
                #expect(try desk.call("calculator.press", #"["1"]"#, id: 2)["result"] != nil)
                desk.shutdownWriting()
                _ = try desk.rest()
            }
            #expect(result.status == .exited(0))
        }
        let transcript = try Transcript(folder.read("new"))
        #expect(Set(transcript.entries.map(\.connection)) == [1])
        #expect(transcript.entries.first?.event == .opened && transcript.entries.last?.event == .closed)
        #expect(transcript.entries.count == 6, "\(transcript.entries)")
    }
}
