import Logging
import Testing
import ViewModelKit
import ViewModelTesting

@Suite struct `A factory from the initialiser` {
    @Test func `supplies services, models, the session's own objects and arguments`() throws {
        var catalog = ViewModelCatalog()
        catalog.provide(Steps(size: 2))
        try catalog.host(Counter.self, Display.self, Plain.self)
        let session = SessionHarness(catalog)
        let client = try session.connect()
        try client.request("counter.count")
        try client.request("counter.count")
        #expect(try client.read("display")["text"] == "4")
        try client.request(
            "viewModel.open",
            ["type": "display", "id": "other", "arguments": ["prefix": "#"]]
        )
        #expect(try client.read("other")["text"] == "#4")
        #expect(try client.read("plain")["text"] == "plain")
    }

    @Test func `serves a harness with stubs`() throws {
        let counter = try Harness(Counter.self, providing: Steps(size: 3))
        try counter.send(\.inputs.count)
        #expect(counter.viewModel.tally.total == 3)
        let plain = try Harness(Plain.self)
        #expect(try plain.read(\.outputs.text) == "plain")
        let display = try Harness(Display.self, arguments: ["prefix": "="])
        #expect(try display.read(\.outputs.text) == "=0")
    }

    @Test func `sets the constants of a class without an initialiser, children among them`() throws {
        var catalog = ViewModelCatalog()
        catalog.provide(Steps(size: 2))
        try catalog.host(Machine.self)
        let machine = try Harness(Machine.self, in: catalog)
        try machine.send(\.children.counter.inputs.count)
        #expect(try machine.read(\.outputs.text) == "2")
        var empty = ViewModelCatalog()
        try empty.host(Machine.self)
        #expect(
            #expect(throws: CatalogError.self) { try empty.check() }?.description.hasPrefix(
                "Machine needs Counter, which needs any Stepping, which the catalog does not have"
            ) == true
        )
    }

    @Test func `makes a ViewModel for a constant with @Child only`() throws {
        var catalog = ViewModelCatalog()
        catalog.provide(Steps(size: 2))
        try catalog.host(Childless.self)
        #expect(
            #expect(throws: CatalogError.self) { try catalog.check() }?.description
                == "Childless needs Counter, a ViewModel; write `@Child` before the constant"
        )
    }

    @Test func `supplies a logger that names the session and the instance, or the model`() throws {
        let harness = try Harness(Chronicle.self)
        #expect(try harness.read(\.outputs.facts) == ["harness", "chronicle", "–"])
        #expect(try harness.read(\.outputs.factsOfModel) == ["harness", "–", "Annals"])
    }

    @Test func `takes a registered model before the one that creates itself`() throws {
        var catalog = ViewModelCatalog()
        catalog.share { _ in Tally(start: 40) }
        catalog.provide(Steps(size: 2) as any Stepping)
        try catalog.host(Counter.self)
        let counter = try Harness(Counter.self, in: catalog)
        try counter.send(\.inputs.count)
        #expect(counter.viewModel.tally.total == 42)
    }

    @Test func `gives a model of a class without the macro to all who need it`() throws {
        var catalog = ViewModelCatalog()
        catalog.share { context in Chain(clock: context.clock) }
        try catalog.host(Links.self, MoreLinks.self)
        let session = SessionHarness(catalog)
        let client = try session.connect()
        try client.request("links.add")
        #expect(try client.read("moreLinks")["count"] == 1)
    }

    @Test func `passes the error of an initialiser on`() throws {
        var catalog = ViewModelCatalog()
        try catalog.host(Picky.self)
        let client = try SessionHarness(catalog).connect()
        let params: JSONValue = ["type": "picky", "id": "p", "arguments": ["size": -1]]
        #expect(client.begin("viewModel.open", params).error?.code == .invalidParams)
        // What the initialiser has made before its error is gone.
        try client.request("viewModel.open", ["type": "picky", "id": "p", "arguments": ["size": 1]])
        #expect(try client.read("p")["size"] == 1)
    }

    @Test func `is checked before the first session`() throws {
        var catalog = ViewModelCatalog()
        try catalog.host(Counter.self, Links.self)
        let error = #expect(throws: CatalogError.self) { try catalog.check() }
        #expect(
            error?.description == """
                Counter needs any Stepping, which the catalog does not have; call catalog.provide(…) before the daemon \
                starts
                Links needs Chain, which the catalog does not have; write @SharedModel on the class, or call \
                catalog.share { … } or catalog.provide(…) before the daemon starts
                """
        )
        #expect(throws: CatalogError.self) { try Harness(Counter.self, in: catalog) }
        #expect(throws: CatalogError.self) { try Harness(Counter.self) }
        catalog.provide(Steps(size: 1))
        catalog.share { context in Chain(clock: context.clock) }
        try catalog.check()
    }

    @Test func `names the way to a service that a model lacks, and models that need each other`() throws {
        var catalog = ViewModelCatalog()
        try catalog.host(Deep.self)
        let error = #expect(throws: CatalogError.self) { try catalog.check() }
        #expect(
            error?.description == """
                models need each other: Hen, which needs Egg, which needs Hen; pass one of them later
                Deep needs Hen, which needs any Stepping, which the catalog does not have; call catalog.provide(…) \
                before the daemon starts
                """
        )
    }

    @Test func `refuses former names that others have, and those of a child`() throws {
        var catalog = ViewModelCatalog()
        try catalog.host(Names.Live.self, Names.Thief.self, Names.Other.self, Names.Parent.self)
        try catalog.host(Names.Lodger.self, Names.House.self)
        let error = #expect(throws: CatalogError.self) { try catalog.check() }
        #expect(
            error?.description == """
                the class thief was called live, but another one has this name; remove one of them
                the class other was called gone, and so was thief; remove the name from one of them
                thief: the saved value name was called nick, but another one has this name; remove one of them
                kid is a child, whose values belong to parent; write the former names and the migrations there
                lodger is a child, whose values belong to house; write the former names and the migrations there
                """
        )
    }

    @Test func `does not choose between two services of one protocol`() throws {
        var catalog = ViewModelCatalog()
        catalog.provide(Steps(size: 1))
        catalog.provide(Leaps())
        try catalog.host(Counter.self)
        let error = #expect(throws: CatalogError.self) { try catalog.check() }
        #expect(
            error?.description
                == "Counter needs any Stepping, and Leaps and Steps both fit; write catalog.provide(… as any Stepping)"
        )
        catalog.provide(Leaps() as any Stepping)
        try catalog.check()
        let counter = try Harness(Counter.self, in: catalog)
        try counter.send(\.inputs.count)
        #expect(counter.viewModel.tally.total == 100)
    }
}

private protocol Stepping: Sendable {
    var size: Int { get }
}

private struct Steps: Stepping {
    let size: Int
}

private struct Leaps: Stepping {
    var size: Int { 100 }
}

/// A sum.
@SharedModel
private final class Tally {
    @State private(set) var total: Int
    private let clock: SessionClock?

    init(start: Int = 0) {
        total = start
        clock = nil
    }

    func add(_ number: Int) { total += number }
}

@ViewModel
private final class Counter {
    let tally: Tally
    private let steps: any Stepping

    init(_ tally: Tally, steps: any Stepping, coordinator: Coordinator, prompter: Prompter, clock: SessionClock) {
        self.tally = tally
        self.steps = steps
    }

    @Input func count() { tally.add(steps.size) }
}

@ViewModel
private final class Childless {
    @Output var total: Int { counter.tally.total }
    private let counter: Counter
}

@ViewModel
private final class Machine {
    @Output var text: String { "\(tally.total)" }
    @Child let counter: Counter
    private let tally: Tally
}

@ViewModel
private final class Display {
    @Schemable
    struct Arguments {
        let prefix: String?
    }
    @Output var text: String { "\(prefix)\(tally.total)" }

    private let prefix: String
    private let tally: Tally

    init(_ arguments: Arguments, tally: Tally, context: ViewModelContext) {
        prefix = arguments.prefix ?? ""
        self.tally = tally
    }
}

enum Names {
    @ViewModel
    final class Live {
        @Field(.user) var nick = ""
    }

    @ViewModel(formerly: "live", "gone")
    final class Thief {
        @Field(.user, formerly: "nick") var name = ""
        @Field(.user) var nick = ""
        @Field(.session, formerly: "nick") var page = ""
    }

    @ViewModel(formerly: "gone")
    final class Other {
        @Field var text = ""
    }

    @ViewModel(formerly: "youngster")
    final class Kid {
        @Field(.session) var toy = ""
    }

    @ViewModel
    final class Parent {
        @Child let kid: Names.Kid
        @Field(.session) var job = ""
    }

    @ViewModel
    final class Lodger {
        @Field(.session) var toy = ""

        static var migrations: [SavedMigration] { [SavedMigration("toy") { _ in }] }
    }

    @ViewModel
    final class House {
        @Child let lodger: Names.Lodger
    }
}

@ViewModel
private final class Plain {
    @Output private(set) var text = "plain"
}

@ViewModel
private final class Picky {
    @Schemable
    struct Arguments {
        let size: Int?
    }
    @Output private(set) var size = 0
    @State(.session) private var visits = 0

    init(arguments: Arguments) throws {
        guard let size = arguments.size, size > 0 else {
            throw InvalidValue(path: "/size", expected: "a positive number", found: "\(arguments.size ?? 0)")
        }
        self.size = size
    }
}

private final class Chain {
    @State var count = 0

    init(clock: SessionClock) {}
}

@ViewModel
private final class Links {
    private let chain: Chain

    init(chain: Chain) { self.chain = chain }

    @Input func add() { chain.count += 1 }
}

@ViewModel
private final class MoreLinks {
    @Output var count: Int { chain.count }
    private let chain: Chain

    init(chain: Chain) { self.chain = chain }
}

@SharedModel
private final class Hen {
    init(egg: Egg, steps: any Stepping) {}
}

@SharedModel
private final class Egg {
    init(hen: Hen) {}
}

@ViewModel
private final class Deep {
    @Output private(set) var text = ""

    init(hen: Hen) {}
}

extension Logger {
    /// What the records name.
    fileprivate var facts: [String] {
        ["session", "instance", "model"].map { self[metadataKey: $0].map { "\($0)" } ?? "–" }
    }
}

/// Shows what its log records name.
@ViewModel
private final class Chronicle {
    @Output var facts: [String] { logger.facts }
    @Output var factsOfModel: [String] { annals.logger.facts }
    private let annals: Annals
    private let logger: Logger
}

@SharedModel
private final class Annals {
    let logger: Logger
}
