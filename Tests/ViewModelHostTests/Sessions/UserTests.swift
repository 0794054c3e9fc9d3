import Glibc
import Testing
import ViewModelHost
import ViewModelKit
import ViewModelProtocol
import ViewModelTesting

/// Greets the user of the session.
@ViewModel("greeting")
private final class Greeting {
    @Output var name: String { user.name }
    @Output var subject: String? { user.subject }
    @Output var mayApprove: Bool { user.claim("groups", as: [String].self)?.contains("approvers") ?? false }
    @Output var city: String? { user.claim("address", as: Address.self)?.city }
    @Output var age: Int? { user.claim("age") }
    private let user: User
}

private struct Address: Decodable {
    let city: String
}

/// The user as ViewModels see it.
@Suite struct UserTests {
    private let approver = User.Identity(
        name: "Ada",
        subject: "i|ada",
        claims: .object([
            "groups": .encoding(["staff", "approvers"]), "age": .integer(36),
            "address": .object(["city": "London", "zip": "1"]),
        ])
    )

    @Test func `a Unix user has the name of the account, and no subject`() throws {
        let root = try Harness(Greeting.self, uid: 0)
        #expect(try root.read(\.outputs.name) == "root")
        #expect(try root.read(\.outputs.subject) == nil)
        #expect(try root.read(\.outputs.mayApprove) == false)
        #expect(try Harness(Greeting.self, uid: 3_999_999_999).read(\.outputs.name) == "3999999999")
    }

    @Test func `a person has a name, a subject, and the claims that the type fits`() throws {
        let ada = try Harness(Greeting.self, person: approver)
        #expect(try ada.read(\.outputs.name) == "Ada")
        #expect(try ada.read(\.outputs.subject) == "i|ada")
        #expect(try ada.read(\.outputs.mayApprove))
        #expect(try ada.read(\.outputs.city) == "London")
        #expect(try ada.read(\.outputs.age) == 36)
        let odd = User.Identity(name: "", subject: "i|b", claims: .object(["groups": "approvers", "age": "x"]))
        let other = try Harness(Greeting.self, uid: 1 << 31, person: odd)
        #expect(try other.read(\.outputs.name) == "2147483648")
        #expect(try other.read(\.outputs.mayApprove) == false)
        #expect(try other.read(\.outputs.age) == nil)
        for claims in [JSON.null, "groups", .encoding(["groups"])] {
            let strange = User.Identity(name: "S", subject: "i|s", claims: claims)
            #expect(try Harness(Greeting.self, person: strange).read(\.outputs.mayApprove) == false)
        }
    }

    @Test func `the claims are those of the client that has attached last`() throws {
        var catalog = ViewModelCatalog()
        try catalog.host(Greeting.self)
        let session = SessionHarness(catalog, person: approver, savesSessions: true)
        let first = try session.connect()
        try first.bind("greeting")
        #expect(first.picture(of: "greeting")?["mayApprove"] == true)
        session.person = User.Identity(name: "Ada L.", subject: "i|ada")
        let second = try session.connect()
        // In one frame, to the client that was there before.
        #expect(first.picture(of: "greeting")?["mayApprove"] == false)
        #expect(first.frames.count == 1)
        #expect(try second.read("greeting")["name"] == "Ada L.")
        // An administrator changes nothing.
        let admin = session.connectAnonymously(uid: 7, scope: .admin)
        try admin.request("session.attach", ["session": .string(SessionHarness.name), "uid": 1000])
        #expect(try admin.read("greeting")["name"] == "Ada L.")
        session.restart()
        session.person = approver
        #expect(try session.connect().read("greeting")["mayApprove"] == true)
        let anonymous = session.connectAnonymously()
        #expect(try anonymous.read("greeting")["name"] == "Ada")
    }

    @Test func `a session that only an administrator has restored has no person`() throws {
        var catalog = ViewModelCatalog()
        try catalog.host(Greeting.self)
        let session = SessionHarness(catalog, person: approver, savesSessions: true)
        let first = try session.connect()
        _ = try first.read("greeting")
        session.advance(by: .seconds(2))
        session.restart()
        let admin = session.connectAnonymously(uid: 7, scope: .admin)
        try admin.request("session.attach", ["session": .string(SessionHarness.name), "uid": 1000])
        #expect(try admin.read("greeting")["subject"] == .null)
        #expect(try admin.read("greeting")["mayApprove"] == false)
        _ = try session.connect()
        #expect(try admin.read("greeting")["mayApprove"] == true)
    }
}
