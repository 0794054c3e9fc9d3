import Synchronization
import TestSupport
import Testing
import ViewModelProtocol

/// The work of two sessions of one user, and what the killed daemons acknowledged.
///
/// Isolation: used by one test, one call after the other; the lock keeps the calls apart.
final class KillWorkload: Sendable {
    private struct State {
        var added: Set<String> = []
        var lastText = 0
        /// How many operations the calculator has: at least what was acknowledged, at most what was begun.
        var rows = 0
        var rowsBegun = 0
        /// What `login.state` can be.
        var login: Set<String> = ["signedOut"]
    }

    private let backend: UnreliableBackend
    private let state = Mutex(State())

    init(backend: UnreliableBackend) {
        self.backend = backend
    }

    /// The ids of the items whose adding was acknowledged.
    var added: Set<String> { state.withLock { $0.added } }

    /// How many operations of the calculator were acknowledged.
    var rows: Int { state.withLock { $0.rows } }

    /// Works until the daemon is killed.
    func work(_ socket: String, _ round: Int) throws {
        try state.withLock { state in
            do {
                let clients = try clients(socket)
                try check(clients[0], &state, "round \(round)")
                if round % 4 == 0 { try signOut(clients[0], &state) }
                try signIn(clients[0], &state)
                for client in clients { try add(client, &state) }
                try calculate(clients[0], &state)
                for client in clients { _ = client.begin("sendList.send") }
                for _ in 0..<2 {
                    for client in clients { try add(client, &state) }
                    try calculate(clients[0], &state)
                }
                try clients[0].stayToTheEnd()
            } catch is NamedSessionClient.Gone {
                // As it should be.
            }
        }
    }

    /// Has the rest sent, and looks at everything.
    func finish(_ socket: String) throws {
        try state.withLock { state in
            let clients = try clients(socket)
            try check(clients[0], &state, "at the end")
            try signIn(clients[0], &state)
            try calculate(clients[0], &state)
            let calls = clients.map { $0.begin("sendList.send") }
            for (client, call) in zip(clients, calls) {
                // The second one finds nothing to do where the first one was faster.
                let answer = try client.answer(to: call)
                #expect(answer["result"]?["failed"]?.intValue == 0 || answer["error"]?["code"]?.intValue == -32002)
            }
            try check(clients[1], &state, "after the last delivery")
            let items = try clients[1].read("sendList", "items").arrayValue ?? []
            #expect(!items.isEmpty && items.allSatisfy { $0["status"]?.stringValue == "sent" })
        }
    }

    private func clients(_ socket: String) throws -> [NamedSessionClient] {
        try ["left", "right"].map { try NamedSessionClient(socket, session: $0) }
    }

    /// What the daemon before has left behind: nothing is lost, and nothing is said to be sent that was not.
    private func check(_ client: NamedSessionClient, _ state: inout State, _ comment: Comment) throws {
        let items = try client.read("sendList", "items").arrayValue ?? []
        let ids = Set(items.compactMap { $0["id"]?.stringValue })
        let taken = backend.state.withLock { Set($0.taken.keys) }
        #expect(ids.count == items.count, comment)
        #expect(state.added.subtracting(ids).subtracting(taken).isEmpty, comment)
        for item in items {
            switch item["status"]?.stringValue {
            case "sent": #expect(item["id"]?.stringValue.map { taken.contains($0) } == true, comment)
            case "queued", "failed": break
            default: Issue.record("\(comment): \(item)")
            }
        }
        let login = try client.read("login", "state").stringValue ?? ""
        #expect(state.login.contains(login), comment)
        state.login = [login]
    }

    private func signOut(_ client: NamedSessionClient, _ state: inout State) throws {
        guard state.login == ["signedIn"] else { return }
        state.login.insert("signedOut")
        try client.call("login.signOut")
        state.login = ["signedOut"]
    }

    private func signIn(_ client: NamedSessionClient, _ state: inout State) throws {
        guard state.login != ["signedIn"] else { return }
        try client.call("login.account", #"["ada"]"#)
        try client.call("login.password", #"["correct horse"]"#)
        state.login.insert("signedIn")
        try client.call("login.submit")
        state.login = ["signedIn"]
    }

    private func add(_ client: NamedSessionClient, _ state: inout State) throws {
        state.lastText += 1
        try client.call("sendList.draft", #"["text \#(state.lastText)"]"#)
        let id = try client.call("sendList.add")["id"]?.stringValue
        state.added.insert(try #require(id))
    }

    /// Adds a row to the calculator; the action that is acknowledged after it makes it safe.
    private func calculate(_ client: NamedSessionClient, _ state: inout State) throws {
        let rows = try client.read("calculator", "operations").arrayValue?.count ?? -1
        #expect(state.rows...state.rowsBegun ~= rows)
        state.rows = rows
        state.rowsBegun = rows + 1
        try client.call("calculator.press", #"["1"]"#)
        try client.call("calculator.press", #"["+"]"#)
        try add(client, &state)
        state.rows = rows + 1
    }
}
