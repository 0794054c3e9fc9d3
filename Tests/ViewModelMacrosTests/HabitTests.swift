import Testing

/// What an author writes who knows other frameworks.
@Suite struct `Habits of other frameworks` {
    /// Returns the diagnostics of a ViewModel with these lines.
    private func inside(_ lines: String, attribute: String = "") -> [FoundDiagnostic] {
        diagnostics(of: "@ViewModel\n\(attribute)\nfinal class Weather {\n\(lines)\n}")
    }

    @Test(arguments: ["MainActor", "Observable"])
    func `An attribute that another owner needs`(name: String) {
        let found = inside("@Output var town = \"\"", attribute: "@\(name)")
        #expect(
            found.map(\.complaint) == [
                "2:1: The session runs this class, and clients follow its outputs; remove `@\(name)`"
            ]
        )
    }

    // MARK: Conditions

    @Test(arguments: [
        ("@Action(enabled: \\.canLook) func look() {}", "\\Weather.canLook"),
        ("@Action(.latest, runs: .onChange(of: \\.town)) func look() async {}", "\\Weather.town"),
        ("@Output(every: .seconds(1), while: \\.isOn) var age: Int { 1 }", "\\Weather.isOn"),
    ])
    func `A key path without the class gets it`(member: String, fixed: String) {
        let found = inside(member)
        #expect(
            found.map(\.message) == ["Swift needs the class in a key path of an attribute; write `\(fixed)`"]
        )
        #expect(found.first?.fixed == fixed)
    }

    @Test(arguments: ["!\\Weather.isOn", "true", "\"isOn\"", "{ true }"])
    func `A condition that is no key path`(condition: String) {
        let found = inside("@Action(enabled: \(condition)) func look() {}")
        #expect(
            found.map(\.message) == [
                "A condition is a property by its key path; write `\\Weather.isReady`, and `var isReady: Bool { … }`"
            ]
        )
    }

    @Test(arguments: [
        "\\Weather.isOn", "\\Weather.town.isEmpty", "Weather.gate", "gate", "(\\Weather.isOn)",
        "(\\Weather.town).appending(path: \\.isEmpty)", "gate(of: \\Weather.isOn)",
    ])
    func `Other conditions are right`(condition: String) {
        #expect(inside("@Action(enabled: \(condition)) func look() {}").isEmpty)
    }

    // MARK: Initialisers

    @Test(arguments: [
        ("init() async {}", "An `init` ends within a step; load in an action with `runs: .atOpen`"),
        ("init?() { nil }", "An `init` makes the object or throws an error; write `init(…) throws`"),
    ])
    func `An initialiser that no catalog can call`(initialiser: String, message: String) {
        #expect(diagnostics(of: "@SharedModel final class Model { \(initialiser) }").map(\.message) == [message])
    }

    @Test func `An initialiser of a ViewModel that no factory can call`() {
        let found = inside("init() async {}")
        #expect(found.map(\.message) == ["An `init` ends within a step; load in an action with `runs: .atOpen`"])
        #expect(found.map(\.isWarning) == [true])
    }

    @Test(arguments: [
        "convenience init?(text: String) { self.init() }\ninit() {}",
        "init() {}\nconvenience init(town: String) async { self.init() }",
        "#if A\ninit() {}\n#endif\ninit(town: String) async {}",
    ])
    func `Other initialisers beside the one that a catalog calls`(initialisers: String) {
        #expect(inside(initialisers).isEmpty)
        #expect(
            diagnostics(of: "@SharedModel final class Model {\n\(initialisers)\n}")
                .filter { !$0.message.hasPrefix("@SharedModel creates") }.isEmpty
        )
    }

    @Test(arguments: ["init?(town: String) {}", "init() async {}\ninit(town: String) {}"])
    func `Initialisers for a factory of the author's`(initialisers: String) {
        #expect(inside(initialisers).isEmpty)
    }

    @Test(arguments: [
        ("private var net: any Net", "net", ", or `let net` for what the class gets"),
        ("@Output var town: String", "town", ""), ("@State var town: String", "town", ""),
    ])
    func `A variable without a value`(line: String, name: String, constant: String) {
        #expect(inside(line).map(\.message) == ["`\(name)` has no value; write one here or in an `init`\(constant)"])
    }

    @Test(arguments: [
        "private let net: any Net", "private var net: Net?", "private var net: Net!", "@Output var rows: Rows<Row>",
        "@Event var rang: Int", "@Output var sum: Int { 1 }", "lazy var net: Net = Net()", "static var net: Net",
        "@Injected var net: Net", "private var net: any Net\ninit(net: any Net) { self.net = net }",
        "#if A\ninit() { net = Net() }\n#endif\nvar net: Net",
    ])
    func `Other variables have a value`(line: String) {
        #expect(inside(line).filter { $0.message.contains("has no value") }.isEmpty)
    }

    // MARK: Members

    @Test(arguments: [
        "@Output var town: String { get async { await net.town } }", "@Rows var all: [Row] { get throws { [] } }",
    ])
    func `An output that suspends or throws`(line: String) {
        let name = line.contains("town") ? "town" : "all"
        #expect(
            inside(line).map(\.message) == [
                "An output is computed within a step and always has a value; write an action that sets a stored "
                    + "`@Output var \(name)`"
            ]
        )
    }

    @Test(arguments: ["lazy", "weak", "unowned"])
    func `A member with a modifier of a stored property`(modifier: String) {
        let found = inside("@State \(modifier) var other: Other? = nil")
        #expect(found.map(\.message) == ["The value of a member is in a cell; remove `\(modifier)`"])
        #expect(found.map(\.fixIts) == [["remove `\(modifier)`"]])
    }

    @Test(arguments: ["(Int, String)", "(a: Int, b: Int)?", "[(Int, Int)]", "[String: (Int, Int)]"])
    func `A tuple anywhere in a result`(type: String) {
        let found = inside("@Action func look() async -> \(type) {}\n@Action private func own() -> \(type) {}")
        #expect(found.map(\.complaint).count == 1)
        #expect(found.map(\.message) == ["A tuple cannot be sent; make it a struct with @Schemable"])
    }

    @Test(arguments: [
        ("@Output var look = 1\n@Action func look() {}", true), ("@Action func look() {}\n@Event var look: Int", true),
        ("@Output var look = 1\n@Action private func look() {}", true),
        ("@Output var look: Int { 1 }\n@Action func look() {}", false),
        ("@Field var look = 1", false),
    ])
    func `A function with the name of a stored member`(lines: String, isReported: Bool) {
        let message = "`Outputs` has a member `look`, too, and both have a `$look`; write another name"
        #expect(inside(lines).map(\.message) == (isReported ? [message] : []))
    }

    // MARK: Bodies

    @Test(arguments: [
        ("rang.send(1)", "$rang"), ("self.rang.send(1)", "$rang"), ("if a { rang.send(1) }", "$rang"),
    ])
    func `An event that is sent by its property`(line: String, fixed: String) {
        let found = inside("@Event var rang: Int\n@Input func ring() {\n\(line)\n}")
        #expect(found.map(\.message) == ["An event has no value; write `$rang.send(…)`"])
        #expect(found.map(\.isWarning) == [true])
        #expect(found.first?.fixed == fixed)
    }

    @Test(arguments: [
        "$rang.send(1)", "bell.rang.send(1)", "let rang = Event<Int>()\nrang.send(1)",
        "peers.forEach { rang in rang.send(1) }", "peers.forEach { (rang: Peer) in rang.send(1) }",
        "for rang in peers { rang.send(1) }", "guard let rang = peers.first else { return }\nrang.send(1)",
        "if let rang = peers.first { rang.send(1) }", "while let rang = next() { rang.send(1) }",
        "if case let .one(rang) = peers { rang.send(1) }", "switch peers {\ncase .one(let rang): rang.send(1)\n}",
    ])
    func `Other events are right`(line: String) {
        #expect(inside("@Event var rang: Int\n@Input func ring() {\n\(line)\n}").isEmpty)
        #expect(inside("@Event var rang: Event<Int> { bell.rang }\n@Input func ring() { rang.send(1) }").isEmpty)
    }

    @Test(arguments: [
        ("_ = clock.timer(after: .seconds(1)) { tick() }", true),
        ("_ = self.clock.timer(after: .seconds(1), tick)", true),
        ("timer = clock.timer(after: .seconds(1)) { tick() }", false), ("_ = net.timer { tick() }", false),
        ("_ = rows.timer", false), ("_ = net.timer(after: .seconds(1)) { tick() }", false),
        ("let clock = other\n_ = clock.timer(after: .seconds(1)) { tick() }", false),
    ])
    func `A timer that is not kept`(line: String, isReported: Bool) {
        let found = inside("private let clock: SessionClock\n@Input func start() {\n\(line)\n}")
        let message = "A timer that is released is cancelled; keep it in a property of the type `SessionTimer?`"
        #expect(found.map(\.message) == (isReported ? [message] : []))
    }

    // MARK: Time

    @Test(arguments: [
        "@Output var age: Int { f(Date()) }", "@Output var age: Int { f(Date.now) }",
        "@Output var age: Int { f(clock.now - start) }", "@Output var age: Int { f(self.clock.date) }",
        "@Output var age: Int { passed }\nprivate var passed: Int { f(ContinuousClock.now) }",
        "@Rows var age: [Row] { rows() }\nprivate func rows() -> [Row] { f(ContinuousClock().now) }",
        "@Action(enabled: \\Weather.age) func look() {}\nprivate var age: Bool { Date() > start }",
    ])
    func `An output that reads the time`(lines: String) {
        let found = inside("private let clock: SessionClock, other: any Net\n\(lines)")
        #expect(
            found.map(\.message) == [
                "Time passes without a change, so `age` keeps its old value; write `@Output(every: …)` with the session's "
                    + "clock, or let a timer set a `@State`"
            ]
        )
        #expect(found.map(\.isWarning) == [true])
    }

    @Test(arguments: [
        "@Output(every: .seconds(1)) var age: Int { f(clock.now) }", "@Input func look() { f(Date()) }",
        "@Output var age: Int { f(Date(timeIntervalSince1970: 0)) }", "@Output var age: Int { player.now }",
        "@Output(every: .seconds(1)) var age: Int { f(clock.now) }\n@Output var text: String { \"\\(age)\" }",
        "@Output(every: .seconds(1)) var age: Int { f(clock.now) }\n@Action(.latest, runs: .onChange(of: \\Weather.age)) func look() async {}",
    ])
    func `Other uses of the time`(lines: String) {
        #expect(inside("private let clock: SessionClock\n\(lines)").isEmpty)
    }

    @Test(arguments: [
        "@Output var age: Int { worldClock.now }\nprivate let worldClock: WorldClock",
        "@Output var age: Int { clock.now }\n@State private var clock: Watch = Watch()",
        "@Output var age: Int { clock.date }\nprivate var clock: Watch { Watch(now) }\n@State private var now = 0",
        "private let clock: SessionClock\n@Output var age: Int { ages.map { clock in clock.now } }",
        "@Output var age: Int { episode.date.now }", "@Output var day: String { Calendar.Date() }",
        "private let clock: SessionClock\n@State private var at: Duration = .zero\n"
            + "@Output var age: Int { get { f(at) } set { at = clock.now } }",
        "@Output var sum: Int { get { 1 } set { last = newValue } }\nprivate var last = 0",
    ])
    func `Values that change, or that are set at a time`(lines: String) {
        #expect(inside(lines).isEmpty)
    }

    // MARK: Shared models

    @Test func `A variable of a shared model that outputs cannot follow`() {
        let found = diagnostics(
            of: """
                @SharedModel
                final class Basket {
                private(set) var count = 0
                private var lastID = 0
                var nextID = 0
                private(set) var level = 0
                @State var items = 0
                let net = Net()
                var sum: Int { count }
                static var all = 1
                weak var owner: Owner?
                }
                """
        )
        #expect(
            found.map(\.complaint) == [
                "3:18: `count` is a plain variable, so outputs that read `sum` and are not sampled keep their old values "
                    + "when it changes; write `@State var count`, or `let`"
            ]
        )
        #expect(found.map(\.isWarning) == [true])
        #expect(found.first?.fixed == "@State private(set) var count = 0")
    }

    @Test func `The bodies of a shared model are read`() {
        let found = diagnostics(
            of: "@SharedModel final class Basket {\n@State var count = 0\nfunc add() {\nTask { count += 1 }\n}\n}"
        )
        #expect(found.map(\.place) == ["4:1"])
    }

    @Test func `A shared model has no groups, and an Action is that of another library`() {
        let found = diagnostics(
            of: """
                @SharedModel final class Basket {
                private let store: Store
                init(store: Store) {
                self.store = store
                store.dispatch(Store.Action { [id] in await store.load(id) })
                store.outputs = Outputs(total: Output { self.count })
                }
                }
                """
        )
        #expect(found.isEmpty)
    }
}
