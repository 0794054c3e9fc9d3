import Foundation
import NIOHTTP1
import TestSupport
import Testing

/// The accounts and the outbox of an author's daemon, over a real HTTP server.
@Suite(.timeLimit(.minutes(10))) struct OwnAccountsTests {
    private let folder = TemporaryFolder()

    @Test func `a sign-in and a message of the outbox survive a kill, and the message is delivered once`()
        async throws
    {
        let backend = try await Backend { Self.reply(to: $0, takesMessages: false) }
        let settings = "account:\n  provider: http\n  url: \(backend.url)\n  timeoutSeconds: 60\n"
        let file = try folder.write(settings, to: "d.yaml")
        let end = try await withDaemon("--config", file, of: .tallyd, folder: folder) { daemon in
            let wrong = try await daemon.ctl(input: "wrong\n", arguments: signIn)
            #expect(wrong.status == 1 && wrong.errors.contains("invalidCredentials"), "\(wrong)")
            #expect(try await daemon.ctl("read", "door", "user").output == "{\"user\":null}\n")
            let contract = try await daemon.ctl("rpc", "rpc.discover")
            #expect(contract.output.contains("invalidCredentials"), "the failures are declared")

            let right = try await daemon.ctl(input: "correct horse\n", arguments: signIn)
            #expect(right.status == 0 && right.output.contains("\"Ada\""), "\(right)")
            let written = try await daemon.ctl("--session", "desk", "call", "letters.write", "hello")
            #expect(written.status == 0, "\(written)")
            try await waitUntil { backend.count("/messages") == 1 }
            let letters = try await daemon.ctl("--session", "desk", "read", "letters", "letters")
            #expect(letters.output.contains(#""status":"sending""#), "\(letters)")
            kill(daemon.process, SIGKILL)
        }
        #expect(end.status == nil, "a signal ended it: \(end.log)")

        backend.set { Self.reply(to: $0, takesMessages: true) }
        try await withDaemon("--config", file, of: .tallyd, folder: folder) { daemon in
            let user = try await daemon.ctl("read", "door", "user")
            #expect(user.output.contains("\"Ada\""), "\(user)")
            // A read of the ViewModel opens it, and it then sends what waits.
            let wait = ["--session", "desk", "--timeout", "60", "wait", "letters", "letters/0/status=sent"]
            let sent = try await daemon.ctl(arguments: wait)
            #expect(sent.status == 0, "\(sent) \(daemon.log)")
        }
        let messages = backend.requests.filter { $0.path == "/messages" }
        #expect(messages.map(\.body) == [#"{"text":"hello"}"#, #"{"text":"hello"}"#])
        #expect(Set(messages.map { $0.headers.first(name: "Idempotency-Key") }).count == 1)
        #expect(messages.allSatisfy { $0.headers.first(name: "Authorization") == "Bearer t1" })
        #expect(backend.count("/login") == 2, "the restart has kept the sign-in")
        await backend.stop()
    }

    private let signIn = ["call", "door.signIn", "name=ada", "password=@-"]

    private static func reply(to request: Backend.Request, takesMessages: Bool) -> Backend.Reply {
        let user = #"{"account":"ada","nickname":"Ada"}"#
        return switch request.path {
        case "/login" where request.body.contains("correct horse"): .json(#"{"token":"t1","auto_login":\#(user)}"#)
        case "/login": .refusal("no such pair", .unauthorized)
        case "/messages": takesMessages ? .json("{}") : .stall
        default: .json(#"{"status":"ok","auto_login":\#(user)}"#)
        }
    }

    private func waitUntil(_ condition: () -> Bool) async throws {
        let end = ContinuousClock.now + .seconds(120)
        while !condition() {
            guard ContinuousClock.now < end else { throw RawConnection.Failure(what: "the condition") }
            try await Task.sleep(for: .milliseconds(10))
        }
    }
}
