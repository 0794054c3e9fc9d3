import Logging
import TestSupport
import ViewModelHost
import ViewModelKit
import ViewModelProtocol
import ViewModelStorage
import ViewModelTesting

extension StorageCheck {
    static let versions = [
        StorageCheck("what a version of the code cannot read is kept for the next one") { fixture, _ in
            try await checkVersions(fixture)
        }
    ]

    /// Runs a version of the code on the store, makes calls in a session, and returns what the daemon reports as unread.
    private static func run<Type: ViewModel & Injectable>(
        _ type: Type.Type,
        _ name: String = "memo",
        on fixture: any StorageFixture,
        _ body: (TestClient) throws -> Void
    ) async throws -> Int {
        var catalog = ViewModelCatalog()
        try catalog.host(type)
        return try await fixture.withStore { store in
            let host = Host(
                catalog: catalog,
                configuration: HostConfiguration(),
                version: "0",
                logger: Logger(label: "check") { _ in SwiftLogNoOpLogHandler() },
                store: store.sessions,
                storage: { StorageHealth(path: "", bytes: 0, healthy: true) }
            )
            await host.prepare(users[0])
            let loop = ManualLoop()
            let client = TestClient(host: host, loop: loop, uid: users[0])
            func answer(_ request: SentRequest) async throws -> JSONValue {
                while true {
                    let known = loop.arrivals
                    loop.run()
                    if let answer = request.answer { return try answer.get() }
                    try await loop.waitForWork(after: known)
                }
            }
            _ = try await answer(client.begin(SessionAttach.name, ["session": "desk", "linger": 0]))
            try body(client)
            // The reply to an action comes when everything is saved.
            _ = try await answer(client.begin("\(name).store"))
            let unread = try client.read("daemon")["unreadValues"]?.arrayValue ?? []
            client.close()
            return unread.count
        }
    }

    private static func checkVersions(_ fixture: any StorageFixture) async throws {
        func reads(
            _ title: String,
            _ text: JSONValue,
            _ rows: Int,
            in name: String = "memo"
        ) -> (TestClient) throws -> Void {
            { client in
                let memo = try client.read(name)
                try expect(memo["title"], .string(title), "the title")
                try expect(memo["text"], text, "the text")
                try expect(memo["rows"]?.arrayValue?.count, rows, "the rows")
            }
        }
        let first = try await run(FirstMemo.self, on: fixture) { client in
            try client.request("memo.title", ["milk"])
            try client.request("memo.text", ["a long text"])
            try client.request("memo.add", [1])
        }
        try expect(first, 0, "the unread values of the first version")
        let second = try await run(SecondMemo.self, on: fixture) { client in
            try reads("milk", 0, 1)(client)
            try client.request("memo.name", ["tea"])
            try client.request("memo.text", [5])
            try client.request("memo.add", [2])
        }
        try expect(second, 1, "the unread values of the second version")
        try expect(try await run(SecondMemo.self, on: fixture, reads("tea", 5, 2)), 1, "those that are put aside")
        // The text comes back. The rows have more members, and the title has another name.
        let back = try await run(FirstMemo.self, on: fixture, reads("", "a long text", 2))
        try expect(back, 3, "the unread values of the first version on those of the second")
        try expect(
            try await run(SecondMemo.self, on: fixture, reads("tea", 5, 2)),
            1,
            "those of the second, which are kept"
        )
        // A migration of a class with another name, before and after the first version has run once more.
        for time in 1...2 {
            let pad = try await run(Pad.self, "pad", on: fixture, reads("tea", "number 5", 2, in: "pad"))
            try expect(pad, time - 1, "the unread values of the class with another name")
            _ = try await run(FirstMemo.self, on: fixture) { client in
                try reads("", "", 0)(client)
                try client.request("memo.text", ["another text"])
            }
        }
    }
}

@Schemable
private struct FirstRow: Identifiable {
    let id: Int
}

/// The version of a memo that saves first.
@ViewModel("memo")
private final class FirstMemo {
    @Field(.user) var title = ""
    @Field(.session) var text = ""
    @Output(.user) var rows: Rows<FirstRow> = []

    @Input func add(_ id: Int) { rows.append(FirstRow(id: id)) }

    @Action func store() {}
}

@Schemable
private struct SecondRow: Identifiable {
    let id: Int
    var colour = "red"
}

/// A version with another name of the class and of the title, and a migration of the text.
@ViewModel(formerly: "memo")
private final class Pad {
    @Field(.user, formerly: "heading") var title = ""
    @Field(.session) var text = ""
    @Output(.user) var rows: Rows<SecondRow> = []

    static var migrations: [SavedMigration] {
        [
            SavedMigration("text") { saved in
                if let number = try? saved.value("text", as: Int.self) { try saved.set("text", to: "number \(number)") }
            }
        ]
    }

    @Action func store() {}
}

/// A version with another name, another type, and a member more.
@ViewModel("memo")
private final class SecondMemo {
    @Field(.user, formerly: "title") var heading = ""
    @Output var title: String { heading }
    @Field(.session) var text = 0
    @Output(.user) var rows: Rows<SecondRow> = []

    @Input func name(_ text: String) { heading = text }
    @Input func add(_ id: Int) { rows.append(SecondRow(id: id)) }

    @Action func store() {}
}
