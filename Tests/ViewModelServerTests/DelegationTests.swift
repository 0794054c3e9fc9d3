import FoundationEssentials
import Logging
import NIOCore
import NIOPosix
import TestSupport
import Testing
import ViewModelKit
import ViewModelProtocol
import ViewModelTesting

@testable import ViewModelHost
@testable import ViewModelServer

/// Connections of a front, which acts for people (protocol, section 4).
@Suite(.timeLimit(.minutes(2))) struct DelegationTests {
    private static let ada = #"{"subject":"https://issuer|ada","name":"Ada Lovelace","claims":{"groups":["ladies"]}}"#

    @Test func `a person has sessions of her own, on whichever connection she comes`() async throws {
        try await withFront { front in
            let (first, second, bob) = (front.connect(), front.connect(), front.connect())
            let number = try first.call("connection.actFor", Self.ada)["result"]?["user"]
            #expect(number?.intValue == 1 << 31)
            #expect(try first.call("session.attach", #"{"session":"desk"}"#)["result"]?["created"] == true)
            #expect(try second.call("connection.actFor", Self.ada)["result"]?["user"] == number)
            #expect(try second.call("session.attach", #"{"session":"desk"}"#)["result"]?["created"] == false)
            // Her user is on another loop than the front and this one.
            let other = try bob.call("connection.actFor", #"{"subject":"https://issuer|bob"}"#)["result"]?["user"]
            #expect(other?.intValue == (1 << 31) + 1)
            #expect(try bob.call("session.list")["result"] == ["sessions": []])
            #expect(try bob.call("session.close", #"{"session":"desk"}"#)["error"]?["code"] == -32004)
            #expect(try bob.call("session.attach", #"{"session":"desk"}"#)["result"]?["created"] == true)
        }
    }

    @Test func `what follows in the same packet is the person's, in both framings`() async throws {
        try await withFront { front in
            let act = #"{"jsonrpc":"2.0","id":1,"method":"connection.actFor","params":\#(Self.ada)}"#
            let attach = #"{"jsonrpc":"2.0","id":2,"method":"session.attach","params":{"session":"desk"}}"#
            let list = #"{"jsonrpc":"2.0","id":3,"method":"session.list"}"#
            let lines = front.connect()
            lines.send("\n\(act)\r\n\(attach)\n\(list)")
            lines.shutdownWriting()
            for id in 1...3 {
                let reply = try lines.message()
                #expect(reply["id"]?.intValue == id && reply["result"] != nil, "\(reply)")
            }
            #expect(try lines.line() == nil)
            let headers = front.connect()
            let messages = [act, list].map { "Content-Length: \($0.utf8.count)\r\n\r\n\($0)" }
            headers.send(messages.joined(separator: "x: y\r\n"))
            headers.shutdownWriting()
            let text = try headers.rest()
            #expect(text.components(separatedBy: "Content-Length: ").count == 3 && text.contains("desk"), "\(text)")
        }
    }

    @Test(
        arguments: [
            #"{"jsonrpc":"2.0","id":1,"method":"session.list"}"#,
            #"{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}"#,
            #"{"jsonrpc":"2.0","id":1,"method":"nothing"}"#,
            #"{"jsonrpc":"2.0","id":1,"method":"$/cancelRequest","params":{"id":2}}"#,
            #"{"jsonrpc":"2.0","method":"session.list"}"#,
            #"{"jsonrpc":"2.0","method":"connection.actFor","params":\#(ada)}"#,
            #"[{"jsonrpc":"2.0","id":1,"method":"connection.actFor","params":\#(ada)}]"#,
            #"{"jsonrpc":"2.0","id":1,"method":"connection.actFor","params":{}}"#,
            #"{"jsonrpc":"2.0","method":1}"#,
            "{", "[]",
        ]
    )
    func `after any other message, nobody can be acted for`(first: String) async throws {
        try await withFront { front in
            let client = front.connect()
            client.sendLine(first)
            for method in ["connection.actFor", "session.list", "viewModel.list"] {
                client.sendLine(#"{"jsonrpc":"2.0","id":9,"method":"\#(method)","params":\#(Self.ada)}"#)
            }
            client.shutdownWriting()
            let replies = try client.rest().split(separator: "\n").filter { $0.contains(#""id":9"#) }
            #expect(replies.count == 3 && replies.allSatisfy { $0.contains("-32005") }, "\(replies)")
            #expect(front.people.numbers.isEmpty)
        }
    }

    @Test func `neither another client nor a person acts for anybody`() async throws {
        try await withFront { front in
            let person = front.connect()
            _ = try person.call("connection.actFor", #"{"subject":"i|admin","scope":"admin"}"#)
            let others = [AccessGrant.observe, .act, .admin].map { front.connect($0) }
            for client in [person] + others {
                for params in [Self.ada, "{}", "[]"] {
                    #expect(try client.call("connection.actFor", params)["error"]?["code"] == -32005)
                }
                #expect(try client.call("viewModel.list")["result"] != nil)
            }
            #expect(front.people.numbers == [1 << 31])
        }
    }

    @Test(
        arguments: [
            (#"{"subject":"\#(String(repeating: "s", count: 513))"}"#, "/subject"), (#"{"subject":""}"#, "/subject"),
            (#"{"subject":"i|a\u0000b"}"#, "/subject"), (#"{"subject":"i|a\nb"}"#, "/subject"),
            (#"{"subject":7}"#, "/subject"), (#"{"subject":"i|a","subj\u0065ct":"i|b"}"#, "/subject"),
            (#"{"subject":"i|a","name":"a\u001b[2J"}"#, "/name"),
            (#"{"subject":"i|a","name":"\#(String(repeating: "ä", count: 257))"}"#, "/name"),
            (#"{"subject":"i|a","scope":"delegate"}"#, "/scope"), (#"{"subject":"i|a","claims":[]}"#, "/claims"),
            (#"{"subject":"i|a","claims":{"c":"\#(String(repeating: "c", count: 16377))"}}"#, "/claims"),
            (#"{"subject":"i|a","_meta":{"deadline":"x"}}"#, "/_meta/deadline"), (#"["i|a"]"#, ""), ("{}", "/subject"),
            (#"{"subject":"i|a","uid":1000}"#, "/uid"),
        ]
    )
    func `wrong params name their place`(params: String, path: String) async throws {
        try await withFront { front in
            let error = try front.connect().call("connection.actFor", params)["error"]
            #expect(error?["code"] == -32602 && error?["data"]?["path"] == .string(path), "\(error ?? nil)")
            #expect(front.people.numbers.isEmpty)
        }
    }

    @Test func `the longest subject, name and claims are accepted, and subjects differ by their bytes`() async throws {
        let longest = """
            {"subject":"\(String(repeating: "ä", count: 256))","name":"\(String(repeating: "n", count: 512))",
            "claims":{"c":"\(String(repeating: "c", count: 16376))"}}
            """.filter { $0 != "\n" }
        try await withFront { front in
            let subjects = ["i|é", "i|e\u{301}", "i|a", "i|a ", "j|a"].map { #"{"subject":"\#($0)"}"# }
            for (index, params) in ([longest] + subjects).enumerated() {
                let reply = try front.connect().call("connection.actFor", params)
                #expect(reply["result"]?["user"]?.intValue == 1 << 31 + index, "\(reply)")
            }
        }
    }

    @Test func `limits hold for each person, and a refused connection ends`() async throws {
        try await withFront({ ($0.connectionsPerUser, $0.sessionsPerUser) = (2, 1) }) { front in
            let clients = [front.connect(), front.connect()]
            for client in clients { #expect(try client.call("connection.actFor", Self.ada)["result"] != nil) }
            let third = front.connect()
            let error = try third.call("connection.actFor", Self.ada)["error"]
            #expect(error?["data"]?["limit"] == "limits.connectionsPerUser")
            #expect(try third.line() == nil)
            let bob = front.connect()
            #expect(try bob.call("connection.actFor", #"{"subject":"i|bob"}"#)["result"] != nil)
            #expect(try clients[0].call("session.attach", #"{"session":"a"}"#)["result"] != nil)
            #expect(try clients[1].call("session.attach", #"{"session":"b"}"#)["error"]?["code"] == -32006)
            #expect(try bob.call("session.attach", #"{"session":"a"}"#)["result"] != nil)
        }
    }

    @Test func `scopes hold as those of the configuration`() async throws {
        try await withFront { front in
            let (observer, admin) = (front.connect(), front.connect())
            _ = try observer.call("connection.actFor", #"{"subject":"i|o","scope":"observe"}"#)
            #expect(try observer.call("session.attach", #"{"session":"desk"}"#)["result"] != nil)
            #expect(try observer.call("session.close")["error"]?["code"] == -32005)
            #expect(try observer.call("session.list", #"{"all":true}"#)["error"]?["code"] == -32005)
            _ = try admin.call("connection.actFor", #"{"subject":"i|root","scope":"admin"}"#)
            let all = try admin.call("session.list", #"{"all":true}"#)["result"]?["sessions"]?[0]
            #expect(all?["uid"]?.intValue == 1 << 31)
            #expect(front.log.entries.filter { $0.message == "A person acts as an administrator" }.count == 1)
        }
    }

    @Test func `a connection that acts for nobody is closed`() async throws {
        try await withFront(longestUnbound: .milliseconds(1)) { front in
            for sent in ["", "\n", #"{"jsonrpc":"2.0","id":1,"method":"session.list"}"# + "\n"] {
                let client = front.connect()
                client.send(sent)
                client.waitUntilClosed()
            }
        }
        try await withFront { front in
            let client = front.connect()
            _ = try client.call("connection.actFor", Self.ada)
            #expect(try client.call("viewModel.list")["result"] != nil)
        }
    }

    @Test func `a request whose number comes late is answered`() async throws {
        try await withFront(longestUnbound: .milliseconds(1)) { front in
            front.people.delay = .milliseconds(100)
            // The connection may be closed before its request is read.
            while true {
                let client = front.connect()
                client.sendLine(#"{"jsonrpc":"2.0","id":1,"method":"connection.actFor","params":\#(Self.ada)}"#)
                guard let line = try client.line() else { continue }
                #expect(line.contains("2147483648"))
                break
            }
        }
    }

    @Test func `a store that is away refuses the person, and ends the connection`() async throws {
        try await withFront { front in
            front.people.isAway = true
            let client = front.connect()
            let error = try client.call("connection.actFor", Self.ada)["error"]
            #expect(error?["data"]?["error"] == "storeUnavailable")
            #expect(try client.line() == nil)
        }
    }

    @Test func `the log has the number and the digest of a subject, and no more of the person`() async throws {
        try await withFront { front in
            for params in [Self.ada, #"{"subject":"https://issuer|ada","nam":"Ada Lovelace"}"#] {
                _ = try front.connect().call("connection.actFor", params)
            }
            _ = try front.connect(.act).call("connection.actFor", Self.ada)
            let entries = front.log.entries
            #expect(
                entries.filter { $0.level >= .notice }.map(\.message) == [
                    "A connection may not act for a person", "A call was denied",
                ]
            )
            let bound = try #require(entries.first)
            #expect(bound.message == "A connection acts for a person" && bound.level == .debug)
            #expect(bound.metadata["user"] == "2147483648")
            #expect(
                bound.metadata["subject"]
                    == "828fce86c821715af57cbbaa72d27e2b6dbd17554d7a14838622016c4ecb6a3f"
            )
            let text = "\(entries)"
            for secret in ["issuer", "Ada", "Lovelace", "ladies"] { #expect(!text.contains(secret), "\(text)") }
        }
    }

    // MARK: The front

    /// Runs `body` on a thread of its own, and waits until nothing is left of its connections.
    private func withFront(
        longestUnbound: Duration = .seconds(120),
        _ limit: (inout HostConfiguration.Limits) -> Void = { _ in },
        _ body: @escaping @Sendable (Front) throws -> Void
    ) async throws {
        var configuration = HostConfiguration()
        limit(&configuration.limits)
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 3)
        let front = try await Front(configuration, group, longestUnbound)
        await withTaskGroup(of: Void.self) { tasks in
            tasks.addTask { await front.openNewUsers() }
            await #expect(throws: Never.self) { try await onThread { try body(front) } }
            await front.finish()
        }
        try await group.shutdownGracefully()
    }
}
