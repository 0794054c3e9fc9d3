import Accounts
import Testing
import ViewModelKit
import ViewModelTesting

@testable import ReferenceViewModels

@Suite(.timeLimit(.minutes(5))) struct `Signing in on a page` {
    @Test func `a success empties the password, pops the scene and shows the user with the result`() async throws {
        try await Daemon.with { daemon in
            let login = try daemon.login(over: "login")
            #expect(try login.scenes.map(\.scene) == ["root", "login"])
            #expect(try !login.isEnabled(\.actions.register) && !login.isEnabled(\.actions.signInWithDevice))
            try login.send(\.inputs.account, "ada")
            try login.send(\.inputs.password, "correct horse")
            let answer = try await login.start(\.actions.submit).answered()
            #expect(answer == .result(["account": "ada", "nickname": "Ada"]))
            #expect(try login.scenes.map(\.scene) == ["root"])
            #expect(try login.read(\.outputs.state) == .signedIn)
            #expect(try login.read(\.outputs.user)?.nickname == "Ada")
            #expect(try !login.isEnabled(\.actions.submit))
            #expect(try login.isEnabled(\.actions.signOut))
            #expect(try login.read(\.outputs.passwordProblem) == nil)
            _ = try await login.start(\.actions.signOut).answered()
            #expect(try login.read(\.outputs.state) == .signedOut)
            #expect(try !login.isEnabled(\.actions.submit))
        }
    }

    @Test func `a failed sign-in forgets the password after a minute, unless it is typed again`() async throws {
        try await Daemon.with { daemon in
            let login = try daemon.login()
            try login.send(\.inputs.account, "ada")
            try login.send(\.inputs.password, "wrong horse")
            _ = try await login.start(\.actions.submit).answered()
            login.advance(by: .seconds(59))
            #expect(try login.isEnabled(\.actions.submit))
            try login.send(\.inputs.password, "wrong horse, too")
            login.advance(by: .seconds(59))
            #expect(try login.isEnabled(\.actions.submit))
            _ = try await login.start(\.actions.submit).answered()
            login.advance(by: .seconds(60))
            #expect(try !login.isEnabled(\.actions.submit))
            #expect(try login.read(\.outputs.passwordProblem) == nil)
            #expect(try login.read(\.outputs.accountProblem) == nil)
            try login.send(\.inputs.password, "correct horse")
            let answer = try await login.start(\.actions.submit).answered()
            #expect(answer == .result(["account": "ada", "nickname": "Ada"]))
        }
    }

    @Test(
        arguments: [
            ("ab", nil, "/account"), ("abc", nil, nil), (String(repeating: "x", count: 64), nil, nil),
            (String(repeating: "x", count: 65), nil, "/account"),
            // Four characters of some two hundred combining marks each.
            (String(repeating: "a" + String(repeating: "\u{301}", count: 200), count: 4), nil, "/account"),
            ("ada", String(repeating: "ä", count: 513), "/nickname"), ("ada", String(repeating: "ä", count: 512), nil),
        ] as [(String, String?, String?)]
    )
    func `names have bounds in characters and in bytes`(account: String, nickname: String?, path: String?) throws {
        let registration = Registration(account: account, password: "correct horse", nickname: nickname)
        do {
            try LoginRules.check(registration)
            #expect(path == nil)
        } catch let error as InvalidValue {
            #expect(error.path == path)
        }
        // A text with too many bytes is refused before it is typed.
        if account.utf8.count <= 1024 {
            #expect((LoginRules.problem(ofAccount: account) == nil) == (path != "/account"))
        }
    }

    @Test func `a text of more than 1,024 bytes cannot be typed, and is not repeated`() async throws {
        try await Daemon.with { daemon in
            let login = try daemon.login()
            let refusal = InvalidValue(expected: "a text of at most 1024 bytes", found: "1025 bytes")
            let longest = String(repeating: "ä", count: 512)
            #expect(throws: refusal) { try login.send(\.inputs.account, longest + "x") }
            #expect(throws: refusal) { try login.send(\.inputs.password, Password(longest + "x")) }
            #expect(try login.read(\.outputs.accountProblem) == nil)
            #expect(try login.read(\.outputs.passwordProblem) == nil)
            try login.send(\.inputs.account, longest)
            #expect(try login.read(\.outputs.accountProblem) != nil)
            try login.send(\.inputs.password, Password(longest))
            #expect(try login.read(\.outputs.passwordProblem) == nil)
            let registration = Registration(account: "ada", password: Password(longest + "x"), nickname: nil)
            #expect(throws: InvalidValue(path: "/password", expected: refusal.expected, found: refusal.found)) {
                try LoginRules.check(registration)
            }
        }
    }

    @Test func `a missing service is named`() throws {
        var catalog = ViewModelCatalog()
        try ReferenceViewModels.register(in: &catalog)
        let error = #expect(throws: CatalogError.self) { try Harness(Login.self, in: catalog) }
        let fault = "Login needs SessionAccount, which needs AccountService, which the catalog does not have; "
        #expect(error?.description.contains(fault + "name the feature .accounts in main.swift") == true)
    }
}
