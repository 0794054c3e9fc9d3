import Synchronization
import TestSupport
import Testing
import ViewModelProtocol

/// Two sessions of one user at work, and what they were told by daemons that are dead by now.
///
/// Isolation: used by one test, one call after the other; the lock keeps the calls apart.
final class Witness: Sendable {
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
                let visitors = try visitors(socket)
                try check(visitors[0], &state, "round \(round)")
                if round % 4 == 0 { try signOut(visitors[0], &state) }
                try signIn(visitors[0], &state)
                for visitor in visitors { try add(visitor, &state) }
                try calculate(visitors[0], &state)
                for visitor in visitors { _ = visitor.begin("sendList.send") }
                for _ in 0..<2 {
                    for visitor in visitors { try add(visitor, &state) }
                    try calculate(visitors[0], &state)
                }
                try visitors[0].stayToTheEnd()
            } catch is Visitor.Gone {
                // As it should be.
            }
        }
    }

    /// Has the rest sent, and looks at everything.
    func finish(_ socket: String) throws {
        try state.withLock { state in
            let visitors = try visitors(socket)
            try check(visitors[0], &state, "at the end")
            try signIn(visitors[0], &state)
            try calculate(visitors[0], &state)
            let calls = visitors.map { $0.begin("sendList.send") }
            for (visitor, call) in zip(visitors, calls) {
                // The second one finds nothing to do where the first one was faster.
                let answer = try visitor.answer(to: call)
                #expect(answer["result"]?["failed"]?.intValue == 0 || answer["error"]?["code"]?.intValue == -32002)
            }
            try check(visitors[1], &state, "after the last delivery")
            let items = try visitors[1].read("sendList", "items").arrayValue ?? []
            #expect(!items.isEmpty && items.allSatisfy { $0["status"]?.stringValue == "sent" })
        }
    }

    private func visitors(_ socket: String) throws -> [Visitor] {
        try ["left", "right"].map { try Visitor(socket, session: $0) }
    }

    /// What the daemon before has left behind: nothing is lost, and nothing is said to be sent that was not.
    private func check(_ visitor: Visitor, _ state: inout State, _ comment: Comment) throws {
        let items = try visitor.read("sendList", "items").arrayValue ?? []
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
        let login = try visitor.read("login", "state").stringValue ?? ""
        #expect(state.login.contains(login), comment)
        state.login = [login]
    }

    private func signOut(_ visitor: Visitor, _ state: inout State) throws {
        guard state.login == ["signedIn"] else { return }
        state.login.insert("signedOut")
        try visitor.call("login.signOut")
        state.login = ["signedOut"]
    }

    private func signIn(_ visitor: Visitor, _ state: inout State) throws {
        guard state.login != ["signedIn"] else { return }
        try visitor.call("login.account", #"["ada"]"#)
        try visitor.call("login.password", #"["correct horse"]"#)
        state.login.insert("signedIn")
        try visitor.call("login.submit")
        state.login = ["signedIn"]
    }

    private func add(_ visitor: Visitor, _ state: inout State) throws {
        state.lastText += 1
        try visitor.call("sendList.draft", #"["text \#(state.lastText)"]"#)
        let id = try visitor.call("sendList.add")["id"]?.stringValue
        state.added.insert(try #require(id))
    }

    /// Adds a row to the calculator; the action that is acknowledged after it makes it safe.
    private func calculate(_ visitor: Visitor, _ state: inout State) throws {
        let rows = try visitor.read("calculator", "operations").arrayValue?.count ?? -1
        #expect(state.rows...state.rowsBegun ~= rows)
        state.rows = rows
        state.rowsBegun = rows + 1
        try visitor.call("calculator.press", #"["1"]"#)
        try visitor.call("calculator.press", #"["+"]"#)
        try add(visitor, &state)
        state.rows = rows + 1
    }
}
