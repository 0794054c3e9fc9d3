import Foundation
import Testing

/// `viewmodelctl login` and `logout`.
@Suite struct LoginTests {
    @Test func `login takes its answers from the standard input and logout takes them back`() async throws {
        try await withAccount { daemon in
            let login = try await daemon.ctl(input: "ada\ncorrect horse\n", "login")
            #expect(login.status == 0, "\(login.errors)")
            #expect(login.output == #"{"account":"ada","nickname":"Ada"}"# + "\n")
            let again = try await daemon.ctl(input: "", "login", "ada")
            #expect(again.status == 0 && again.errors.contains("already"), "\(again.errors)")
            let other = try await daemon.ctl(input: "", "login", "eve")
            #expect(other.status == 5 && other.errors.contains("logout"), "\(other.errors)")
            #expect(try await daemon.ctl("logout").status == 0)
            let state = try await daemon.ctl("read", "login", "state")
            #expect(state.output.contains("signedOut"))
            let signedOut = try await daemon.ctl("logout")
            #expect(signedOut.status == 0 && signedOut.errors.contains("no user is signed in"))
        }
    }

    @Test func `a wrong password fails, and an impossible one is refused before`() async throws {
        try await withAccount { daemon in
            let wrong = try await daemon.ctl(input: "wrong horse\n", "login", "ada")
            #expect(wrong.status == 1 && wrong.errors.contains("invalidCredentials"), "\(wrong.errors)")
            let short = try await daemon.ctl(input: "short\n", "login", "ada")
            #expect(short.status == 7, "\(short.errors)")
            let none = try await daemon.ctl(input: "", "login", "ada")
            #expect(none.status == 64, "\(none.errors)")
            #expect(try await daemon.ctl("login", "--device").status == 5)
            #expect(!(wrong.errors + short.errors + daemon.log).contains("horse"))
        }
    }

    private func withAccount(_ body: @Sendable (TemporaryDaemon) async throws -> Void) async throws {
        try await withDaemon { daemon in
            let arguments = ["call", "login.register", "account=ada", "password=@-", "nickname=Ada"]
            let register = try await daemon.ctl(input: "correct horse\n", arguments: arguments)
            #expect(register.status == 0, "\(register.errors)")
            try await body(daemon)
        }
    }
}
