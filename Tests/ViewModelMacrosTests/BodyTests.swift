import Testing

@Suite struct `Mistakes in the bodies of a ViewModel` {
    /// Returns the diagnostics of a class whose `init` has these lines.
    private func inInit(_ lines: String) -> [FoundDiagnostic] {
        diagnostics(of: "@ViewModel\nfinal class Weather {\ninit(net: Net) {\n\(lines)\n}\n}")
    }

    private let leaves =
        "This code leaves the session; write an action and call its `run()`, `follow` a sequence, or use "
        + "`clock.timer(after:)`"
    private let captures =
        "In Swift 6.3 a closure that suspends and has a capture list leaves the session; remove the list, the framework "
        + "releases the closure with the instance"

    @Test func `A capture list on a body that suspends`() throws {
        let found = inInit("actions = Actions(look: Action { [cell] in\nawait net.load()\n})")
        #expect(found.map(\.message) == [captures])
        #expect(found.map(\.place) == ["4:34"])
        #expect(found.map(\.isWarning) == [false])
        #expect(found[0].fixIts == ["remove the capture list"])
        let fixed = try #require(found[0].fixed)
        #expect(fixed.filter { !$0.isWhitespace } == "{awaitnet.load()}")
    }

    @Test func `The capture list alone is removed`() throws {
        let found = inInit(
            "let a = Action<Int, Void>(enabled: gate) { [weak self] (value, execution: Execution) async throws in\n"
                + "for await x in net.values { use(x) }\n}"
        )
        #expect(found.map(\.message) == [captures])
        let fixed = try #require(found.first?.fixed)
        #expect(fixed.hasPrefix("{"))
        #expect(!fixed.contains("[weak self]"))
        #expect(fixed.contains("(value, execution: Execution) async throws in"))
    }

    @Test(arguments: [
        "try await run.retry(3, after: x) { [id] in try await net.load(id) }",
        "try await prompter.busy(x) { [id] in await f() }",
    ])
    func `A capture list on a closure that an action awaits`(line: String) {
        let source = "@ViewModel\nfinal class Weather {\n@Action func look() async throws {\n\(line)\n}\n}"
        #expect(diagnostics(of: source).map(\.message) == [captures])
        #expect(diagnostics(of: source).map(\.isWarning) == [true])
    }

    @Test(arguments: [
        "inputs.look.sink { [weak self] in self?.look() }",
        "actions = Actions(look: Action { await net.load() })",
        "actions = Actions(look: Action { [net] in net.each { await $0 } })",
        "timer = clock.timer(after: x) { [weak self] in self?.tick() }",
        "net.observe { [weak self] in await self?.tick() }",
    ])
    func `Other capture lists are right`(line: String) {
        #expect(inInit(line).isEmpty)
    }

    @Test(arguments: [
        "func load() async throws { cell.value = try await net.get() }\nlet cell = Cell(0)",
        "func load() async { await self.look() }", "func load() async { _ = net }",
        "if true { let x = 1\nfunc load() async { print(x) } }",
    ])
    func `A local function that suspends and captures`(line: String) {
        let found = inInit(line)
        #expect(
            found.map(\.message) == [
                "In Swift 6.3 a local `async` function that captures can leave the session; write `load` as a method, or "
                    + "move its body into the action"
            ]
        )
        #expect(found.map(\.isWarning) == [true])
    }

    @Test(arguments: [
        "func load(_ net: Net) async throws { try await net.get() }", "func load() { print(net) }",
        "func load() async { let net = Net()\nawait x.net.get(net) }",
        "func load() async { for net in x.nets { await net.get() } }",
    ])
    func `A local function that does not`(line: String) {
        #expect(inInit(line).isEmpty)
    }

    @Test(arguments: [
        "inputs.town.sink { _ in Task { await net.load() } }",
        "inputs.town.debounce(for: x).sink { Task.detached { f($0) } }",
        "timer = clock.timer(after: x) { Task { f() } }",
    ])
    func `A task of its own`(line: String) {
        let found = inInit(line)
        #expect(found.map(\.message) == [leaves])
        #expect(found.map(\.isWarning) == [true])
    }

    @Test func `A warning leaves the contract as it is`() {
        let source = "@ViewModel\nfinal class Weather {\ninit(net: Net) {\nfunc load() async { print(net) }\n}\n}"
        #expect(expanded(source).contains("static let contract"))
    }

    @Test(arguments: [
        ("let a = Cell(0)", "a", "Output(a)"), ("let a = Derived { 1 }", "a", "Output(a)"),
        ("let a = ListCell<Row>()", "a", "ListOutput(a)"), ("let a = inputs.a.hold(0)", "a", "Output(a)"),
    ])
    func `A cell as an output`(line: String, value: String, fixed: String) {
        let found = inInit("\(line)\noutputs = Outputs(a: \(value))")
        #expect(found.map(\.message) == ["Clients see an output, not the value behind it; write `\(fixed)`"])
        #expect(found.map(\.place) == ["5:22"])
        #expect(found.map(\.fixed) == [fixed])
    }

    @Test(arguments: ["let a = Output(cell)", "let a = Event<Int>()", "let b = Cell(0)"])
    func `An output as an output`(line: String) {
        #expect(inInit("\(line)\noutputs = Outputs(a: a)").isEmpty)
    }

    @Test(arguments: [
        ("Actions", "Action<(Int, Int), Void>"), ("Inputs", "Input<(a: Int, b: Int)>"),
        ("Outputs", "Output<(Int, Int)>"),
    ])
    func `A tuple in the explicit form`(group: String, type: String) {
        let property = group.lowercased()
        let refusals = refusals(
            of: "@ViewModel\nfinal class Weather {\nstruct \(group) {\nlet a: \(type)\n}\nlet \(property): \(group)\n}"
        )
        #expect(refusals.count == 1)
        #expect(refusals.first?.hasPrefix("4:") == true)
        #expect(refusals.first?.hasSuffix("A tuple cannot be sent; make it a struct with @Schemable") == true)
    }

    private func incomplete(_ use: String, _ moved: String) -> String {
        "\(use) is not complete before the last group is assigned; write the members in the short form, or move "
            + "\(moved) to a model that `init` creates"
    }

    @Test(arguments: [
        ("actions = Actions(look: Action(look))", "look"),
        ("actions = Actions(look: Action(self.look))", "look"),
        ("actions = Actions(look: Action { try await look() })", "look"),
        ("actions = Actions(look: Action { [weak self] in self?.load() })", nil),
        ("self.actions = Actions(look: Action { self.count += 1 })", nil),
        ("outputs = Outputs(total: Output { self.cell.value })", nil),
        ("outputs = Outputs(total: Output(cell.map { $0 + self.offset }))", nil),
    ])
    func `A use of self before it is complete`(line: String, method: String?) {
        let source = "@ViewModel\nfinal class Weather {\ninit() {\n\(line)\n}\nfunc look() async throws {}\n}"
        let found = diagnostics(of: source)
        let message =
            method.map { incomplete("`\($0)` is a method of `self`, which", "`\($0)`") }
            ?? incomplete("`self`", "the code")
        #expect(found.map(\.message) == [message])
        #expect(found.map(\.isWarning) == [false])
    }

    @Test(arguments: [
        "outputs = Outputs(total: Output(self.cell), look: Output(net.look))",
        "func look() {}\nactions = Actions(look: Action(look))",
        "let look = model.look\nactions = Actions(look: Action(look))",
        "inputs.add.sink { [unowned self] in look() }",
        "actions = Actions(look: Action { await model.look() })",
    ])
    func `Other uses of self and of names are right`(line: String) {
        let source = "@ViewModel\nfinal class Weather {\ninit() {\n\(line)\n}\nfunc look() async throws {}\n}"
        #expect(diagnostics(of: source).filter { $0.message.contains("complete") }.isEmpty)
    }

    @Test(arguments: [
        ("@Input func add() {\nTask { await look() }\n}", true),
        ("@Action func add() async {\nif a { Task.detached { f() } }\n}", true),
        ("@Action func add() async {\ninputs.b.sink { Task { f() } }\n}", true),
        ("@Action func add() async {\nlet sum = await Task.detached { f() }.value\n}", false),
        ("func add() {\nTask { f() }\n}", false), ("func add() {\nTask { await look() }\n}", false),
        ("func add() {\nTask { await self.look() }\n}", true), ("init() {\nTask { add() }\n}\nfunc add() {}", true),
        ("func add() {\nDispatchQueue.main.async { self.count += 1 }\n}", true),
        ("func add() async {\nawait MainActor.run { add() }\n}", true),
        ("init() {\nTimer.scheduledTimer(withTimeInterval: 1, repeats: true) { _ in self.count += 1 }\n}", true),
        ("func add() {\nDispatchQueue.main.async { log() }\n}", false),
        ("let net: Net\nfunc add() {\nTask { [net] in await net.load() }\n}", false),
        ("let net: Net\nfunc add() {\nTask { await net.load() }\n}", true),
        ("func add() {\nTimer.measure { self.count += 1 }\n}", false),
        ("func add() {\nDispatchQueue.main.sync { self.count += 1 }\n}", false),
        ("actor Poller {\nfunc run() {\nTask { await self.poll() }\n}\nfunc poll() {}\n}", false),
        ("func add() {\nactor Poller {\nfunc run() {\nTask { await self.poll() }\n}\n}\n}", false),
        ("static func add() {\nTask { await self.load() }\n}", false),
        ("let net: Net\nfunc add() {\nguard let net = find() else { return }\nTask { await net.load() }\n}", false),
        ("let net: Net?\nfunc add() {\nif let net { Task { await net.load() } }\n}", false),
        ("let net: Net\nfunc add() {\nfor net in nets { Task { await net.load() } }\n}", false),
        ("let net: Net\nfunc add() {\nnets.forEach { net in Task { await net.load() } }\n}", false),
        ("let net: Net\nfunc add() {\nif case let .one(net) = find() { Task { await net.load() } }\n}", false),
        ("let net: Net\nfunc add() {\nlet f = { [net] in Task { await net.load() } }\n}", false),
    ])
    func `A task that a member starts`(member: String, isReported: Bool) {
        let found = diagnostics(of: "@ViewModel\nfinal class Weather {\n\(member)\n}")
        #expect(found.map(\.message) == (isReported ? [leaves] : []))
        #expect(found.allSatisfy { $0.isWarning })
    }

    // MARK: What an output reads

    /// Returns the diagnostics of a class with a plain variable `town`.
    private func beside(_ lines: String) -> [FoundDiagnostic] {
        diagnostics(of: "@ViewModel\nfinal class Weather {\n/// The town.\nprivate var town = 1\n\(lines)\n}")
    }

    @Test(arguments: [
        "@Output var title: String { \"\\(town)\" }",
        "@Output var title: String { text }\nprivate var text: String { text(of: self.town) }",
        "@Rows var title: [Row] { if let town { [Row(town)] } else { rows() } }\nfunc rows() -> [Row] { [Row(town)] }",
    ])
    func `A plain variable that an output reads`(lines: String) {
        let found = beside(lines)
        #expect(
            found.map(\.message) == [
                "`town` is a plain variable, so `title` keeps its old value when it changes; write `@State var town`, or "
                    + "`let`"
            ]
        )
        #expect(found.map(\.isWarning) == [true])
        #expect(found.first?.fixed == "@State private var town = 1")
    }

    @Test func `A plain variable that a condition reads`() {
        let gated = beside("@Action(enabled: \\Weather.canLook) func look() {}\nvar canLook: Bool { town > 0 }")
        #expect(gated.map(\.message).first?.contains("so `canLook` keeps its old value") == true)
        #expect(beside("@Action(enabled: \\Weather.town) func look() {}").count == 1)
    }

    @Test(arguments: [
        "@Output var title: String { title(of: 1) }\nfunc title(of town: Int) -> String { \"\\(town)\" }",
        "@Output var title: String { self.title(of: 1) }",
        "@Output var sum: Int { func sum() -> Int { 1 }; return sum() }",
        "@Output var error: String? { do { return try title() } catch { return \"\\(error)\" } }",
        "@Action func look() { town += 1 }", "@Output(every: .seconds(1)) var age: Int { town }",
        "@Output var title: Int { let town = 1; return town }", "@Output var title: Int { net.town }",
        "@Output var title: Int { net.map(\\.town) }", "@Output var title: [Int] { net.map { town in town } }",
    ])
    func `A plain variable that no output follows`(line: String) {
        #expect(beside(line).isEmpty)
    }
}

@Suite struct `Statements in the bodies of a ViewModel` {
    /// Returns the diagnostics of a class with a list, a service and an action with these lines.
    private func inAction(_ lines: String) -> [FoundDiagnostic] {
        diagnostics(
            of: """
                @ViewModel
                final class Weather {
                @Output var rows: Rows<Row> = []
                let net: Net
                @Action func look(_ town: String) async throws {
                \(lines)
                }
                }
                """
        )
    }

    @Test(arguments: [
        ("rows = []", "rows.replaceAll(with: [])"),
        (
            "self.rows = rows.filter { $0.id > 1 } + [Row(1)]",
            "self.rows.replaceAll(with: rows.filter { $0.id > 1 } + [Row(1)])"
        ),
        ("rows = try await net.rows()", "rows.replaceAll(with: try await net.rows())"),
    ])
    func `that set a list get the edit`(line: String, fixed: String) {
        let found = inAction(line)
        #expect(found.map(\.message) == ["A list is edited and not set; write `rows.replaceAll(with: …)`"])
        #expect(found.map(\.isWarning) == [true])
        #expect(found.first?.fixed == fixed)
    }

    @Test(arguments: ["var rows = [1]\nrows = []", "net.rows = []", "rows == []", "rows[0] = Row(1)", "rows += []"])
    func `that set no list do not`(line: String) {
        #expect(inAction(line).isEmpty)
    }

    @Test(arguments: ["async let a = net.get()", "async let a = f(town), b = self.net.get(town)"])
    func `that read a property off the session get the constant to write`(line: String) {
        let found = inAction(line)
        #expect(
            found.map(\.message) == [
                "An `async let` runs outside of the session, without the object; copy what it needs before: "
                    + "`let net = net`"
            ]
        )
        #expect(found.map(\.isWarning) == [true])
    }

    @Test(arguments: [
        "let net = net\nasync let a = net.get(town)",
        "let (net, other) = (net, 1)\nasync let a = net.get(other)", "async let a = other.net.get()",
        "let a = await net.get()",
    ])
    func `that read none do not`(line: String) {
        #expect(inAction(line).isEmpty)
    }
}
