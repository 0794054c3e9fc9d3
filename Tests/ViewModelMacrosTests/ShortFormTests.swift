import Testing

@testable import MacroLibrary

@Suite struct `The expansion of the short form` {
    @Test func `lists what is saved, with the former names`() {
        let source = #"""
            @ViewModel(formerly: "sky", "air")
            public final class Weather {
                @Field(.user, formerly: "nick", "alias") var name = ""
                @State(.session) private var brain = Brain()
                @Output(.daemon) var rows: Rows<Row> = []
                @Field var draft = ""
            }
            """#
        let made = expanded(source, withPlaces: true)
        #expect(
            made.contains(
                #"let $name = ViewModelKit.Cell("", restoring: "name", formerly: ["nick", "alias"], in: .user)"#
            )
        )
        let table = #"""
            extension Weather {
                public static var savedValues: [ViewModelKit.SavedContract] {
                    [
                        .init("name", in: .user, formerly: ["nick", "alias"]) { (owner: Weather) in owner.$name },
                        .init("brain", in: .session) { (owner: Weather) in owner.$brain },
                        .init("rows", in: .daemon) { (owner: Weather) in owner.$rows },
                    ]
                }
                public static var formerNames: [String] { ["sky", "air"] }
            }
            """#
        #expect(made.contains(table), "\(made)")
        #expect(made.contains(#"name: "weather""#))
    }

    @Test(arguments: [
        (#"@Field(formerly: "nick") var name = """#, "A value that is not saved has no former name"),
        (#"@Formerly("nick") @Field(.user) var name = """#, "write `formerly:` in the attribute of a saved property"),
    ])
    func `has former names for saved values only`(member: String, refusal: String) {
        let found = refusals(of: "@ViewModel\nfinal class Weather {\n\(member)\n}")
        #expect(found.count == 1 && found.first?.contains(refusal) == true, "\(found)")
    }

    @Test func `is the explicit form`() {
        let source = #"""
            @ViewModel
            final class Weather {
                /// The town.
                @Field(.session) var town = ""
                @Output private(set) var forecast: Forecast?
                @Output var summary: String { "\(town)" }
                @Event var arrived: String
                /// Renames.
                @Input func rename(_ id: Int, to name: String?) throws {}
                @Action(.latest, enabled: \Weather.canLook)
                func look() async throws(LookFailure) -> Forecast {}
            }
            """#
        #expect(
            expanded(source).replacing(#/ *#sourceLocation\(.*\)\n/#, with: "") == #"""
                final class Weather {
                    /// The town.
                    var town {
                    get { $town.value }
                    set { $town.value = newValue }
                    _modify { yield &$town.value }
                    }

                    let $town = ViewModelKit.Cell("", restoring: "town")
                    private(set) var forecast: Forecast? {
                    get { $forecast.value }
                    set { $forecast.value = newValue }
                    _modify { yield &$forecast.value }
                    }

                    private let $forecast = ViewModelKit.Cell<Forecast?>(nil)
                    var summary: String { "\(town)" }
                    var arrived: String {
                    @available(*, unavailable, message: "An event has no value; send one with $arrived.send(…)")
                    get { fatalError("an event has no value") }
                    }

                    let $arrived = ViewModelKit.Event<String>()
                    /// Renames.
                    func rename(_ id: Int, to name: String?) throws {}

                    var $rename: ViewModelKit.Input<Inputs.RenameParameters> { inputs.rename }
                    func look() async throws(LookFailure) -> Forecast {}

                    var $look: ViewModelKit.Action<Void, Forecast> { actions.look }

                    private let memberWiring = ViewModelKit.MemberWiring()

                    struct Inputs {
                        struct RenameParameters: ViewModelKit.Schemable {
                            let id: Int
                            let to: String?
                            static var schema: ViewModelKit.Schema {
                                .object([
                                    .init("id", .of(Int.self)),
                                    .init("to", .of(String?.self), required: false),
                                ])
                            }
                        }
                        let town: ViewModelKit.Input<String>
                        let rename: ViewModelKit.Input<RenameParameters>
                    }

                    private(set) lazy var inputs = memberWiring { self.makeInputs() }

                    private func makeInputs() -> Inputs {
                        Inputs(
                            town: ViewModelKit.Input(assigningTo: $town),
                            rename: ViewModelKit.Input { [unowned self] parameters in try self.rename(parameters.id, to: parameters.to) }
                        )
                    }

                    struct Outputs {
                        let town: ViewModelKit.Output<String>
                        let forecast: ViewModelKit.Output<Forecast?>
                        let summary: ViewModelKit.Output<String>
                        let arrived: ViewModelKit.Event<String>
                    }

                    private(set) lazy var outputs = memberWiring { self.makeOutputs() }

                    private func makeOutputs() -> Outputs {
                        Outputs(
                            town: ViewModelKit.Output($town),
                            forecast: ViewModelKit.Output($forecast),
                            summary: memberWiring("Weather.summary") { ViewModelKit.Output { [unowned self] in self.summary } },
                            arrived: $arrived
                        )
                    }

                    struct Actions {
                        let look: ViewModelKit.Action<Void, Forecast>
                    }

                    private(set) lazy var actions = memberWiring { self.makeActions() }

                    private func makeActions() -> Actions {
                        Actions(
                            look: ViewModelKit.Action(enabled: ViewModelKit.Derived(of: self, \Weather.canLook)) { try await self.look() }
                        )
                    }
                }

                extension Weather: ViewModelKit.ViewModel {
                    static let contract = ViewModelKit.ViewModelContract<Weather>(
                        name: "weather",
                        description: "",
                        members: { members in
                            members.append(.input("town", "The town.", .value()) { $0.inputs.town })
                            members.append(.output("town", "The town.") { $0.outputs.town })
                            members.append(.output("forecast", "") { $0.outputs.forecast })
                            members.append(.output("summary", "") { $0.outputs.summary })
                            members.append(.output("arrived", "") { $0.outputs.arrived })
                            members.append(.input("rename", "Renames.", .value()) { $0.inputs.rename })
                            members.append(.action("look", "", policy: .latest, failures: LookFailure.failures, .nothing, .value()) { $0.actions.look })
                        }
                    )
                }
                """#
        )
    }
}

@Suite struct `The expansion of a derived output` {
    /// Expects the values of a class's outputs.
    private func expectOutputs(_ member: String, _ type: String, _ value: String) {
        let text = expanded("@ViewModel\nfinal class Weather {\n    \(member)\n}")
        #expect(text.contains("        let towns: ViewModelKit.\(type)\n"), "\(text)")
        #expect(text.contains("        towns: memberWiring(\"Weather.towns\") { ViewModelKit.\(value) }\n"), "\(text)")
    }

    @Test func `is a list that the output compares`() {
        expectOutputs(
            "@Rows var towns: [Town] { [] }",
            "ListOutput<Town>",
            "ListOutput { [unowned self] in self.towns }"
        )
    }

    @Test(arguments: ["Row.init", "Atlas.Row.init(town:)"])
    func `is a list whose rows are shown as another type`(row: String) {
        expectOutputs(
            "@Rows(of: \(row)) var towns: [Town] { [] }",
            "ListOutput<\(row.prefix { $0 != "(" }.dropLast(5))>",
            "ListOutput(row: \(row)) { [unowned self] in self.towns }"
        )
    }

    @Test func `is a value that is sampled`() {
        expectOutputs(
            "@Output(every: .seconds(1)) var towns: Int { 7 }",
            "Output<Int>",
            "Output(every: .seconds(1)) { [unowned self] in self.towns }"
        )
        expectOutputs(
            "@Output(every: .seconds(1), while: \\Weather.isWindy) var towns: Int { 7 }",
            "Output<Int>",
            "Output(every: .seconds(1), while: ViewModelKit.Derived(of: self, \\Weather.isWindy)) { [unowned self] in self.towns }"
        )
    }
}

@Suite struct `The expansion of a private action` {
    private let source = #"""
        @ViewModel
        final class Room {
            @Field var draft = ""
            @Output var title: String { draft }
            @Action(.latest, runs: [.atOpen, .onChange(of: \Room.draft, after: .seconds(1)), .onChange(of: \Room.title)])
            private func load() async throws(LoadFailure) {}
            @Action(.queued, id: "id") fileprivate func deliver(id: Letter.ID, to name: String = "all") async {}
        }
        """#

    @Test func `is a private member, which the contract does not show`() {
        expectExpansion(
            of: source,
            has: "private var $load: ViewModelKit.Action<Void, Void> { ownActions.load }",
            "private struct OwnActions {",
            """
                    struct DeliverParameters {
                        let id: Letter.ID
                        let to: String?
                    }
            """,
            "private lazy var ownActions = memberWiring { self.makeOwnActions() }",
            "private func makeOwnActions() -> OwnActions {",
            #"members.append(.ownAction("load", policy: .latest) { $0.ownActions.load })"#,
            #"members.append(.ownAction("deliver", policy: .queued) { $0.ownActions.deliver })"#
        )
        let made = expanded(source, withPlaces: true)
        #expect(made.contains(#".init("load", "Test/Test.swift", 6, ownActions.load)"#), "\(made)")
        #expect(!made.contains("MemberCheck.clientsSee((Letter.ID).self)"))
        #expect(!made.contains("LoadFailure.failures"))
        #expect(!made.contains("struct Actions"))
    }

    @Test func `observes the properties after whose changes it runs, a computed output by its signal`() {
        expectExpansion(
            of: source,
            has: """
                load: ViewModelKit.Action(runs: [.atOpen, .onChange(of: ViewModelKit.Derived(of: self, \\Room.draft), \
                after: .seconds(1)), .onChange(of: self.computedOutputs.title)]) { try await self.load() }
                """
        )
    }

    @Test func `may be written in the explicit form`() {
        expectExpansion(
            of: """
                @ViewModel
                final class Room {
                    private struct OwnActions { @Policy(.queued) let deliver: Action<Letter, Void> }
                    private let ownActions: OwnActions
                }
                """,
            has: #"members.append(.ownAction("deliver", policy: .queued) { $0.ownActions.deliver })"#
        )
    }
}

@Suite struct `The expansion of a list` {
    @Test func `refuses to be set, with the way to replace its rows`() {
        expectExpansion(
            of: "@SharedModel\nfinal class Shop {\n    @State var items: Rows<Item>\n}",
            has: "get { $items }",
            """
                @available(*, unavailable, message: "A list is edited and not set; write `items.replaceAll(with: …)`")
            """
        )
    }
}

@Suite struct `Members that the short form refuses` {
    @Test(
        arguments: Mistake.table(
            in: "@ViewModel\nfinal class Weather {\n…\n}",
            #"""
            @Output var forecast = Forecast()
                        ^ @ViewModel reads the type of a member from its declaration; write `var forecast: …`

            @Output var a = 1, b = 2
                        ^ Each member has its own name and type; write one `var` for each

            @Field var town: String { "" }
                       ^ A field keeps what clients type; write `@Field var town` with a value, or `@Output var town` for a
            | computed property

            @Output let town = 1
                    ^ The value changes; write `var town`

            @Output var town = 1 { didSet {} }
                                 ^ Observers would run on the macro's accessors; write what follows from the value as a
            | computed property, or in a function that changes it

            @Rows var towns: [Town] = []
                      ^ @Rows applies to a computed array; write `@Rows var towns: [Row] { … }`, or
            | `@Output var towns: Rows<Row> = []` for a list that is edited

            @Rows(of: { Row($0) }) var towns: [Town] { [] }
                      ^ @ViewModel reads the type of the shown rows from an initialiser; write `@Rows(of: Row.init)`

            @Output(every: .seconds(1)) var position = 1
                                            ^ A value that changes with time is computed; write
            | `@Output(every: …) var position: Value { … }`

            @Event var rang: Int { 1 }
                       ^ A computed event is that of a shared model; write
            | `@Event var rang: Event<Value> { model.rang }`, or `@Event var rang: Value` for an event of this ViewModel

            @Event var arrived: String = ""
            ^ An event has a type and no value; write `@Event var name: Value`

            @Input func look() async {}
                               ^ An input ends within its step; write `@Action func look` for work that suspends

            @Input func look() -> Int { 1 }
                                  ^ An input has no result; write `@Action func look`, or show the result in an output

            @Action func look(_ execution: Execution) {}
                              ^ Only an action that suspends has an execution; write `func look(…) async`

            @Action func look(_ execution: Execution, days: Int) async {}
                              ^ `Execution` comes last; write `func look(…, _ execution: Execution) async`

            @Action func look(_ execution: Execution, id: Int) async throws {}
                              ^ `Execution` comes last; write `func look(…, _ execution: Execution) async`

            @Input func move() throws(MoveFailure) {}
                        ^ An input refuses a value with `InvalidValue`; write `@Action func move` for `throws(MoveFailure)`

            @Input func move(_ to: Int = 1) {}
                                       ^ A value alone cannot be left out; give the parameter a label, or remove the
            | default value

            @Action(.concurrent(limit: 0)) func look() async {}
                                       ^ At least one execution runs; write `limit: 1`, or more

            @Action(.queued, id: "town") func look(_ id: Int, at: Int) async {}
                                 ^ `id` is the name of a parameter as a literal; write `id: "id"` or `id: "at"`

            @Action(.queued, id: "id") func look() async {}
                                 ^ `id` is the name of a parameter as a literal; add one

            @Action(.queued, id: "id") func look(id: Int = 1) async {}
                                                         ^ The id of an execution cannot be left out; remove the default
            | value

            @Action(.queued, id: "id") func look(id: Int) {}
                                 ^ An action that cannot suspend has no executions to list; write `func look(…) async`

            @Action(runs: .atOpen) func look(id: Int) async {}
                          ^ An action with params does not run by itself; call it in `init` with `$name.run(…)`, or remove
            | the params

            @Action(runs: .onChange(of: \Weather.town)) func look() async {}
                          ^ A change while the action executes would be lost; write `.latest`, `.queued` or `.concurrent`

            @Action(.shared, runs: [.atOpen, .onChange(of: \Weather.town)]) private func look() async {}
                                   ^ A change while the action executes would be lost; write `.latest`, `.queued` or
            | `.concurrent`

            @Output private var town = 1
                    ^ Clients see each member with @Output; write it without `private`

            @Input fileprivate func move() {}
                   ^ Clients see each member with @Input; write it without `private`

            @Child let leaf = leaf(1)
                       ^ @ViewModel reads the type of a member from its declaration; write `let leaf: …`

            @Child let leaves: [Leaf]
                               ^ A child is one ViewModel for the life of its parent; let `leaves` be an output with the id of
            | an instance, or rows with such ids: `private let instances: Instances`, and `instances.open(…)` in an
            | input or action

            @Child let leaf: Leaf?
                             ^ A child is one ViewModel for the life of its parent; let `leaf` be an output with the id of an
            | instance, or rows with such ids: `private let instances: Instances`, and `instances.open(…)` in an input or
            | action

            @Input func move(_ places: (Int, Int)) {}
                                       ^ A tuple has no names on the wire; write several parameters, or a struct with
            | @Schemable

            @Input func look<Value>(_ value: Value) {}
                            ^ A member of a contract has one type; write the function without generic parameters

            @Output static var town = 1
                    ^ @Output declares a member of an instance; remove `static`

            @Input var town = 1
                   ^ @Input applies to a function of a ViewModel; write `@Input func …`

            @Output func town() {}
                         ^ @Output applies to a property; write `@Output var …`

            @Input func Remove() {}
                        ^ `Remove` cannot be a member's name on the wire; write a lower-case letter and then only letters
            | and digits without accents

            @Action func actions() {}
                         ^ @ViewModel writes a property `actions` for the members with attributes; write another name

            @Output var town: Int!
                              ^ Clients send and get plain values; write the type without `inout`, `…`, `!`, `some` and `->`

            @Output var town: (Int, Int) = (1, 2)
                              ^ A tuple has no names on the wire; write several parameters, or a struct with @Schemable

            @Input func move(_meta: Int) {}
                             ^ `_meta` cannot be the name of a member of the params; write another name

            @Input func move(_: Int, to: Int) {}
                             ^ `_` cannot be the name of a member of the params; write another name

            @Input func move(to a: Int, to b: Int) {}
                                        ^ Two members of the params are called `to`; give one another label

            @Field var towns: Rows<Town> = []
                       ^ A list is edited and not set as a whole; write `@Output var towns` and an `@Input func` for each
            | edit

            @Output var towns: Rows<Town> = Rows([])
                                            ^ The list is created by the macro; write its rows as an array literal, or
            | `= []`

            @Output private(set) var towns: Rows<Town> = []
                    ^ A list is edited and never set; remove `private(set)`. Clients cannot edit it

            @Output public private(set) var towns: Rows<Town> = []
                           ^ A list is edited and never set; remove `private(set)`. Clients cannot edit it

            @Field(isNamed ? .session : nil) var town = 1
                   ^ A value is saved in one place; write `.session`, `.user` or `.daemon`

            @Output(.session) var town: Int { 1 }
                    ^ A computed property is not saved; save the properties that it reads

            @Output var a: Int { b + 1 }
                        ^ `a` reads itself through `b`; compute one of them from other values
            @Output var b: Int { a + 1 }

            @Output var a: Int { sum(2) }
                        ^ `a` reads itself through `c`; compute one of them from other values
            @Output var c: Int { let b = self.a; return b }
            private func sum(_ b: Int) -> Int { half + b }
            private var half: Int { c / 2 }

            @Output var a: Int { sum() }
                        ^ `a` reads itself; compute it from other values
            private func sum() -> Int { self.a }

            @Output var a: Int { self.a }
                        ^ `a` reads itself; compute it from other values

            struct Actions {
            let look: ListedAction<Int, Void, Int>
                ^ Executions are listed if there may be several; write `@Policy(.concurrent(limit: 2)…)`, `.concurrent` or
            | `.queued`
            }
            let actions: Actions

            @Field var town = 1
            struct Actions {}
                   ^ @ViewModel writes `Actions` from the members with attributes; write all members of the class in one
            | form

            @Field var look = 1
            @Action func look(_ at: Int) {}
                         ^ `Inputs` has a member `look`, too, and both are called as methods; write another name

            @Input func remove(_ id: Int) {}
            @Input func remove(name: String) {}
                        ^ `Inputs` has two members `remove`; write another name

            struct Inputs {
            let a: Input<Int>
            let a: Input<Int>
                ^ `Inputs` has two members `a`; write another name
            }
            let inputs = Inputs()
            """#
        )
    )
    func `at the place of the mistake`(mistake: Mistake) {
        #expect(refusals(of: mistake.source).last == mistake.complaints.first?.description)
    }

    @Test(arguments: ["", ".exclusive, ", ".latest, ", "ActionPolicy.shared, "])
    func `executions to list in an action that has one at a time`(policy: String) {
        let source = "@ViewModel\nfinal class Weather {\n@Action(\(policy)id: \"id\") func look(_ id: Int) async {}\n}"
        #expect(
            refusals(of: source).last
                == "3:\(13 + policy.count): Executions are listed if there may be several; write "
                + "`@Action(.concurrent(limit: 2)…)`, `.concurrent` or `.queued`"
        )
    }

    @Test(arguments: ["Int...", "inout Int", "Int!", "some Schemable", "() -> Void", "@escaping () -> Void"])
    func `a parameter that is no plain value`(type: String) {
        #expect(
            refusals(of: "@ViewModel\nfinal class Weather {\n@Input func move(_ to: \(type)) {}\n}").last
                == "3:24: Clients send and get plain values; write the type without `inout`, `…`, `!`, `some` and `->`"
        )
    }

    @Test(arguments: [
        "@Action func look() {}", "@Input func look() {}", "@Output var town = 1", "@Output var town: Int { 1 }",
        "@Field var town = 1", "@Event var town: Int", "@Rows var towns: [Town] { [] }",
    ])
    func `a member outside of a ViewModel`(member: String) {
        let parents = ["final class Weather", "extension Weather"]
        for parent in parents + (member.contains("func") ? ["@SharedModel final class Weather"] : []) {
            let refusals = refusals(of: "\(parent) {\n\(member)\n}")
            #expect(refusals.count == 1)
            #expect(refusals.first?.hasPrefix("2:1: \(member.prefix { $0 != " " }) declares a member that") == true)
            #expect(refusals.first?.hasSuffix("not in an extension") == true)
        }
    }

    @Test(arguments: ["@Output var town = 1", "@Action func look() {}", "#if A\n@Event var rang: Int\n#endif"])
    func `a member in a branch of #if`(member: String) {
        #expect(
            refusals(of: "@ViewModel\nfinal class Weather {\n#if DEBUG\n\(member)\n#endif\n}").contains(
                "3:1: @ViewModel cannot know which branch of `#if` applies; write the members of the contract without it"
            )
        )
    }

    @Test(arguments: [
        "final class Model {\n@State var town = 1\n}",
        "@ViewModel\nfinal class A {\n#if DEBUG\nfunc look() {}\n#endif\n}",
        "@ViewModel\nfinal class A {\n@Output var a = 1\nprivate let actions: Service\n}",
        "@ViewModel\nfinal class A {\n@Input func move(_ to: (Int)) {}\n}",
        "@ViewModel\nfinal class A {\n@Child let leaf = Leaf(1)\n}",
        "@ViewModel\nfinal class A {\n@Action(runs: .onChange(of: \\A.town)) func look() {}\n}",
        "@ViewModel\nfinal class A {\n@Action(.latest, runs: .onChange(of: \\A.town)) func look() async {}\n}",
    ])
    func `and no others`(source: String) {
        #expect(refusals(of: source).isEmpty)
    }

    @Test func `a child that may change`() {
        let found = diagnostics(of: "@ViewModel\nfinal class Weather {\n    @Child var header: Header\n}")
        #expect(found.map(\.message) == ["A child lives as long as its parent; write `let header`"])
        #expect(found.first?.fixIts == ["write `let`"])
    }

    @Test(
        arguments: Mistake.table(
            """
            @Failure enum LookFailure {
            case unknown(String)
                         ^ A detail has a name on the wire; write `case name(detail: Value)`
            }

            @Failure struct LookFailure {}
                     ^ @Failure applies to an enum, whose cases are the failures; write `enum`

            final class Weather {
            @Failure private enum LookFailure {
                     ^ The conformance is written outside of the enclosing type; write `fileprivate`
            case unknown
            }
            }

            @Failure enum LookFailure {
            #if DEBUG
            ^ @Failure cannot know which branch of `#if` applies; write the cases without it
            case unknown
            #endif
            }

            @Failure enum LookFailure {
            case failures
                 ^ @Failure writes a property `failures`; give the case another name
            }

            @Retryable struct LookFailure {}
            ^ @Retryable applies to a case of an enum with @Failure
            """
        )
    )
    func `failures`(mistake: Mistake) {
        #expect(refusals(of: mistake.source) == mistake.complaints.map(\.description))
    }
}

@Suite struct `Texts of parameters in a doc comment` {
    @Test(arguments: [
        (
            """
            Moves.

            - Parameter row: the row,
              which exists.

              Not the header.
            - parameter `place`: the place
            or the end.
            - Throws: nothing.
            """,
            ["row": ["the row,", "which exists.", "", "Not the header."], "place": ["the place", "or the end."]],
            "Moves.\n\n- Throws: nothing."
        ),
        (
            """
            Moves.

            - Parameters:
              - row: the row.
              - place: the place:
                - one
            - Returns: it.
            """, ["row": ["the row."], "place": ["the place:", "- one"]], "Moves.\n\n- Returns: it."
        ),
        (
            "- Parameters:\n  - other: the row.\n- Parameter another: x\n```\n- Parameter row: x\n```", [:],
            "- Parameters:\n  - other: the row.\n- Parameter another: x\n```\n- Parameter row: x\n```"
        ),
    ])
    func `are separated from it, but not those of unknown parameters and not code`(
        comment: String,
        texts: [String: [String]],
        rest: String
    ) {
        var reader = ParameterTexts(["row", "place"])
        let lines = comment.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        #expect(reader.removed(from: lines).joined(separator: "\n") == rest)
        #expect(reader.found == texts)
    }

    @Test func `describe the members of params`() {
        let source = """
            @ViewModel
            final class Weather {
                /// Looks.
                ///
                /// - Parameter town: The town.
                /// - Parameter execution: The execution.
                @Action func look(at town: String, days: Int, _ execution: Execution) async {}
                /// Says.
                /// - Parameter text: The text.
                @Input func say(_ text: String) {}
            }
            """
        let expansion = expanded(source)
        #expect(expansion.contains(#".init("at", .of(String.self), description: "The town."),"#), "\(expansion)")
        #expect(expansion.contains(#".init("days", .of(Int.self)),"#))
        #expect(expansion.contains(#".action"#) && expansion.contains(#"("look", "Looks.""#))
        #expect(expansion.contains(#"("say", "Says.\n- Parameter text: The text.""#))
    }
}
