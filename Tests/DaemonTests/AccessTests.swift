import Foundation
import Testing
import ViewModelProtocol

/// Several users of one daemon; only root can be several users.
@Suite(.enabled(if: geteuid() == 0, "takes root, who can be any user"))
struct AccessTests {
    private static let access = """
        access:
          - {user: 4001, scope: observe}
          - {user: 4002, scope: act}
          - {group: 4100, scope: act}
          - {user: 4004, scope: admin}
        """

    @Test func `a user without access gets an error that names the remedy`() async throws {
        try await withSharedDaemon(Self.access) { daemon in
            let result = try await daemon.ctl(as: User(4009), "types")
            #expect(result.status == 5)
            #expect(result.errors.contains("access"), "\(result.errors)")
        }
    }

    @Test func `observe looks, act works, and each has sessions of its own`() async throws {
        try await withSharedDaemon(Self.access) { daemon in
            #expect(try await daemon.ctl(as: User(4001), "read", "calculator", "led").status == 0)
            #expect(try await daemon.ctl(as: User(4001), "call", "calculator.press", "7").status == 5)
            for user in [User(4002), User(4003, groups: [4100]), User(4003, group: 4100)] {
                #expect(try await daemon.ctl(as: user, "call", "calculator.press", "7").status == 0)
            }
            #expect(try await daemon.ctl(as: User(4003), "types").status == 5)
            let mine = try await daemon.ctl(as: User(4002), "--session", "desk", "call", "calculator.press", "7")
            #expect(mine.status == 0)
            let theirs = try await daemon.ctl(as: User(4001), "--session", "desk", "read", "calculator", "led")
            #expect(theirs.output.contains(#""led":"0""#), "\(theirs.output)")
        }
    }

    @Test func `an admin works in another user's session`() async throws {
        try await withSharedDaemon(Self.access) { daemon in
            let user = User(4002)
            #expect(
                try await daemon.ctl(as: user, "rpc", "session.attach", #"{"session":"desk","linger":60}"#).status == 0
            )
            #expect(try await daemon.ctl(as: user, "--session", "desk", "call", "calculator.press", "7").status == 0)
            let admin = User(4004)
            let session = ["--uid", "4002", "--session", "desk"]
            let read = try await daemon.ctl(as: admin, arguments: session + ["read", "calculator", "led"])
            #expect(read.output.contains(#""led":"7""#), "\(read.output)\(read.errors)")
            #expect(try await daemon.ctl(as: admin, "sessions", "--all").output.contains(#""uid":4002"#))
            #expect(try await daemon.ctl(as: user, "sessions", "--all").status == 5)
            #expect(try await daemon.ctl(as: user, arguments: session + ["read", "calculator"]).status == 5)
            #expect(try await daemon.ctl(as: admin, "close", "desk").status == 4)
            let close = try await daemon.ctl(as: admin, "--uid", "4002", "close", "desk")
            #expect(close.status == 0, "\(close.errors)")
        }
    }

    @Test func `the account of one user is not that of another`() async throws {
        try await withSharedDaemon(Self.access) { daemon in
            let user = User(4002)
            let register = ["account=ada", "password=correct horse", "nickname=Ada"]
            #expect(try await daemon.ctl(as: user, arguments: ["call", "login.register"] + register).status == 0)
            #expect(try await daemon.ctl(as: user, input: "correct horse\n", "login", "ada").status == 0)
            let own = try await daemon.ctl(as: user, "read", "login", "state")
            #expect(own.output.contains("signedIn"))
            let other = try await daemon.ctl(as: User(4003, group: 4100), "read", "login", "state")
            #expect(other.output.contains("signedOut"))
        }
    }

    /// A daemon whose socket every user can reach.
    private func withSharedDaemon(
        _ configuration: String,
        _ body: @Sendable (TemporaryDaemon) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder.make()
        defer { TemporaryFolder.remove(folder) }
        try FileManager.default.createDirectory(atPath: "\(folder)/s", withIntermediateDirectories: false)
        let text = "\(configuration)\nsocket: {mode: 0666}\n"
        try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder)/d.yaml"))
        // Where others can get at it, wherever the checkout is.
        try FileManager.default.copyItem(
            atPath: "\(TemporaryDaemon.programs)/viewmodelctl",
            toPath: "\(folder)/viewmodelctl"
        )
        chmod(folder, 0o755)
        chmod("\(folder)/s", 0o755)
        try await withDaemon("--config", "\(folder)/d.yaml", folder: folder, body)
    }
}

/// Somebody to be.
struct User: Sendable {
    let uid: Int
    let gid: Int
    let groups: [Int]

    init(_ uid: Int, group gid: Int? = nil, groups: [Int] = []) {
        self.uid = uid
        self.gid = gid ?? uid
        self.groups = groups
    }

    /// What runs the command behind it as this user.
    var command: [String] {
        let supplementary = groups.map(String.init).joined(separator: ",")
        return [
            "/usr/bin/setpriv", "--reuid=\(uid)", "--regid=\(gid)",
            groups.isEmpty ? "--clear-groups" : "--groups=\(supplementary)",
        ]
    }
}
