import Foundation
import Testing

/// Several users of one daemon, as the kernel and the command line name them; only root can be several users.
@Suite(.enabled(if: geteuid() == 0, "takes root, who can be any user"))
struct AccessTests {
    private let folder = TemporaryFolder()

    @Test func `users and groups have the scopes of the file, and an administrator works for others`() async throws {
        try await withSharedDaemon { daemon in
            #expect(try await daemon.ctl(as: User(4001), "read", "calculator", "led").status == 0)
            let denied = try await daemon.ctl(as: User(4003), "types")
            #expect(denied.status == 5 && denied.errors.contains("access"), "\(denied.errors)")
            for user in [User(4002), User(4003, groups: [4100]), User(4003, group: 4100)] {
                #expect(try await daemon.ctl(as: user, "call", "calculator.press", "7").status == 0)
            }
            let (actor, admin, other) = (User(4002), User(4004), ["--uid", "4002", "--session", "desk"])
            let attach = #"{"session":"desk","linger":60}"#
            #expect(try await daemon.ctl(as: actor, "rpc", "session.attach", attach).status == 0)
            #expect(try await daemon.ctl(as: actor, "--session", "desk", "call", "calculator.press", "7").status == 0)
            let read = try await daemon.ctl(as: admin, arguments: other + ["read", "calculator", "led"])
            #expect(read.output.contains(#""led":"7""#), "\(read.output)\(read.errors)")
            #expect(try await daemon.ctl(as: actor, arguments: other + ["read", "calculator"]).status == 5)
            #expect(try await daemon.ctl(as: admin, "sessions", "--all").output.contains(#""uid":4002"#))
            #expect(try await daemon.ctl(as: admin, "close", "desk").status == 4)
            #expect(try await daemon.ctl(as: admin, "--uid", "4002", "close", "desk").status == 0)
        }
    }

    @Test func `the account of one user is not that of another`() async throws {
        try await withSharedDaemon { daemon in
            let register = ["call", "login.register", "account=ada", "password=correct horse", "nickname=Ada"]
            let registered = try await daemon.ctl(as: User(4002), arguments: register)
            #expect(registered.status == 0, "\(registered.errors)")
            #expect(try await daemon.ctl(as: User(4002), input: "correct horse\n", "login", "ada").status == 0)
            for (user, state) in [(User(4002), "signedIn"), (User(4003, group: 4100), "signedOut")] {
                #expect(try await daemon.ctl(as: user, "read", "login", "state").output.contains(state))
            }
        }
    }

    /// A daemon whose socket every user can reach.
    private func withSharedDaemon(_ body: @Sendable (TemporaryDaemon) async throws -> Void) async throws {
        let file = try folder.write(
            """
            socket: {mode: 0666}
            access:
              - {user: 4001, scope: observe}
              - {user: 4002, scope: act}
              - {group: 4100, scope: act}
              - {user: 4004, scope: admin}
            """,
            to: "d.yaml"
        )
        try FileManager.default.createDirectory(atPath: "\(folder)/s", withIntermediateDirectories: false)
        // Where others can get at it, wherever the checkout is.
        let program = "\(TemporaryDaemon.programs)/viewmodelctl"
        try FileManager.default.copyItem(atPath: program, toPath: "\(folder)/viewmodelctl")
        for place in [folder.path, "\(folder)/s"] { chmod(place, 0o755) }
        try await withDaemon("--config", file, folder: folder, body)
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
