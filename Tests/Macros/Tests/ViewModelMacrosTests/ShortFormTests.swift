import Testing

@testable import ViewModelMacros

@Suite struct `The expansion of the short form` {
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
                            summary: ViewModelKit.Output { [unowned self] in self.summary },
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
                            members.append(.input("town", "The town.") { $0.inputs.town })
                            members.append(.output("town", "The town.") { $0.outputs.town })
                            members.append(.output("forecast", "") { $0.outputs.forecast })
                            members.append(.output("summary", "") { $0.outputs.summary })
                            members.append(.output("arrived", "") { $0.outputs.arrived })
                            members.append(.input("rename", "Renames.") { $0.inputs.rename })
                            members.append(.actionWithoutParameters("look", "", policy: .latest, failures: LookFailure.failures) { $0.actions.look })
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
        #expect(text.contains("        towns: ViewModelKit.\(value)\n"), "\(text)")
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

@Suite struct `Members that the short form refuses` {
    /// Expects that a class with this member is refused, and why.
    private func expectRefusal(
        _ member: String,
        _ message: String,
        column: Int,
        sourceLocation: Testing.SourceLocation = #_sourceLocation
    ) {
        let refusals = refusals(of: "@ViewModel\nfinal class Weather {\n    \(member)\n}")
        #expect(refusals.last == "3:\(column): \(message)", sourceLocation: sourceLocation)
    }

    @Test func `A member without a readable type`() {
        expectRefusal(
            "@Output var forecast = Forecast()",
            "@ViewModel reads the type of a member from its declaration; write `var forecast: …`",
            column: 17
        )
    }

    @Test func `Several members in one declaration`() {
        expectRefusal(
            "@Output var a = 1, b = 2",
            "Each member has its own name and type; write one `var` for each",
            column: 17
        )
    }

    @Test func `A computed field`() {
        expectRefusal(
            #"@Field var town: String { "" }"#,
            "A field keeps what clients type; write `@Field var town` with a value, or `@Output var town` for a computed "
                + "property",
            column: 16
        )
    }

    @Test func `A constant output`() {
        expectRefusal("@Output let town = 1", "The value changes; write `var town`", column: 13)
    }

    @Test func `A property with observers`() {
        expectRefusal(
            "@Output var town = 1 { didSet {} }",
            "Observers would run on the macro's accessors; write what follows from the value as a computed property, or in "
                + "a function that changes it",
            column: 26
        )
    }

    @Test func `Rows that are stored`() {
        expectRefusal(
            "@Rows var towns: [Town] = []",
            "@Rows applies to a computed array; write `@Rows var towns: [Row] { … }`, or "
                + "`@Output var towns: Rows<Row> = []` for a list that is edited",
            column: 15
        )
    }

    @Test func `Rows that are shown as no readable type`() {
        expectRefusal(
            "@Rows(of: { Row($0) }) var towns: [Town] { [] }",
            "@ViewModel reads the type of the shown rows from an initialiser; write `@Rows(of: Row.init)`",
            column: 15
        )
    }

    @Test func `A sampled value that is stored`() {
        expectRefusal(
            "@Output(every: .seconds(1)) var position = 1",
            "A value that changes with time is computed; write `@Output(every: …) var position: Value { … }`",
            column: 37
        )
    }

    @Test func `A computed event of another type`() {
        expectRefusal(
            "@Event var rang: Int { 1 }",
            "A computed event is that of a shared model; write `@Event var rang: Event<Value> { model.rang }`, or "
                + "`@Event var rang: Value` for an event of this ViewModel",
            column: 16
        )
    }

    @Test func `An event with a value`() {
        expectRefusal(
            #"@Event var arrived: String = """#,
            "An event has a type and no value; write `@Event var name: Value`",
            column: 5
        )
    }

    @Test func `An input that suspends`() {
        expectRefusal(
            "@Input func look() async {}",
            "An input ends within its step; write `@Action func look` for work that suspends",
            column: 24
        )
    }

    @Test func `An input with a result`() {
        expectRefusal(
            "@Input func look() -> Int { 1 }",
            "An input has no result; write `@Action func look`, or show the result in an output",
            column: 27
        )
    }

    @Test func `An execution in an action that cannot suspend`() {
        expectRefusal(
            "@Action func look(_ execution: Execution) {}",
            "Only an action that suspends has an execution; write `func look(…) async`",
            column: 23
        )
    }

    @Test(arguments: ["(_ execution: Execution, days: Int) async", "(_ execution: Execution, id: Int) async throws"])
    func `An execution before other parameters`(signature: String) {
        expectRefusal(
            "@Action func look\(signature) {}",
            "`Execution` comes last; write `func look(…, _ execution: Execution) async`",
            column: 23
        )
    }

    @Test func `An input that fails like an action`() {
        expectRefusal(
            "@Input func move() throws(MoveFailure) {}",
            "An input refuses a value with `InvalidValue`; write `@Action func move` for `throws(MoveFailure)`",
            column: 17
        )
    }

    @Test func `A default value of a value alone`() {
        expectRefusal(
            "@Input func move(_ to: Int = 1) {}",
            "A value alone cannot be left out; give the parameter a label, or remove the default value",
            column: 32
        )
    }

    @Test func `Executions to list in an action that has one at a time`() {
        for policy in ["", ".exclusive, ", ".latest, ", "ActionPolicy.shared, "] {
            expectRefusal(
                "@Action(\(policy)id: \"id\") func look(_ id: Int) async {}",
                "Executions are listed if there may be several; write `@Action(.concurrent(limit: 2)…)`, `.concurrent` or "
                    + "`.queued`",
                column: 17 + policy.count
            )
        }
        let refusals = refusals(
            of: "@ViewModel\nfinal class Weather {\nstruct Actions {\nlet look: ListedAction<Int, Void, Int>\n}\n"
                + "let actions: Actions\n}"
        )
        #expect(
            refusals == [
                "4:5: Executions are listed if there may be several; write `@Policy(.concurrent(limit: 2)…)`, `.concurrent` "
                    + "or `.queued`"
            ]
        )
    }

    @Test func `Executions to list without an id among the params`() {
        expectRefusal(
            "@Action(.queued, id: \"town\") func look(_ id: Int, at: Int) async {}",
            "`id` is the name of a parameter as a literal; write `id: \"id\"` or `id: \"at\"`",
            column: 26
        )
        expectRefusal(
            "@Action(.queued, id: \"id\") func look() async {}",
            "`id` is the name of a parameter as a literal; add one",
            column: 26
        )
        expectRefusal(
            "@Action(.queued, id: \"id\") func look(id: Int = 1) async {}",
            "The id of an execution cannot be left out; remove the default value",
            column: 50
        )
        expectRefusal(
            "@Action(.queued, id: \"id\") func look(id: Int) {}",
            "An action that cannot suspend has no executions to list; write `func look(…) async`",
            column: 26
        )
    }

    @Test func `Params in an action that runs by itself`() {
        expectRefusal(
            "@Action(runs: .atOpen) func look(id: Int) async {}",
            "An action with params does not run by itself; call it in `init` with `$name.run(…)`, or remove the params",
            column: 19
        )
    }

    @Test func `A tuple`() {
        expectRefusal(
            "@Input func move(_ places: (Int, Int)) {}",
            "A tuple has no names on the wire; write several parameters, or a struct with @Schemable",
            column: 32
        )
    }

    @Test func `A generic function`() {
        expectRefusal(
            "@Input func look<Value>(_ value: Value) {}",
            "A member of a contract has one type; write the function without generic parameters",
            column: 21
        )
    }

    @Test func `A static member`() {
        expectRefusal(
            "@Output static var town = 1",
            "@Output declares a member of an instance; remove `static`",
            column: 13
        )
    }

    @Test func `An attribute in the wrong place`() {
        expectRefusal(
            "@Input var town = 1",
            "@Input applies to a function of a ViewModel; write `@Input func …`",
            column: 12
        )
        expectRefusal("@Output func town() {}", "@Output applies to a property; write `@Output var …`", column: 18)
    }

    @Test func `A name that the wire does not take`() {
        expectRefusal(
            "@Input func Remove() {}",
            "`Remove` cannot be a member's name on the wire; write a lower-case letter and then only letters and digits "
                + "without accents",
            column: 17
        )
    }

    @Test func `An input and an action of one name`() {
        let refusals = refusals(
            of: "@ViewModel\nfinal class Weather {\n@Field var look = 1\n@Action func look(_ at: Int) {}\n}"
        )
        #expect(refusals.count == 1)
        #expect(refusals.first?.contains("`Inputs` has a member `look`, too") == true)
    }

    @Test func `Both forms in one class`() {
        let refusals = refusals(
            of: "@ViewModel\nfinal class Weather {\n@Field var town = 1\nstruct Actions {}\n}"
        )
        #expect(
            refusals == [
                "4:8: @ViewModel writes `Actions` from the members with attributes; write all members of the class in one "
                    + "form"
            ]
        )
    }

    @Test(arguments: ["Action", "Input"]) func `A function outside of a ViewModel`(attribute: String) {
        for parent in ["final class Weather", "extension Weather", "@SharedModel final class Weather"] {
            let refusals = refusals(of: "\(parent) {\n@\(attribute) func look() {}\n}")
            #expect(
                refusals == [
                    "2:1: @\(attribute) declares a member that clients see; write it in the body of a class with "
                        + "@ViewModel, not in an extension"
                ]
            )
        }
    }

    @Test(arguments: [
        "@Output var town = 1", "@Output var town: Int { 1 }", "@Field var town = 1", "@Event var town: Int",
        "@Rows var towns: [Town] { [] }",
    ])
    func `A property outside of a ViewModel`(member: String) {
        for parent in ["final class Weather", "extension Weather"] {
            let refusals = refusals(of: "\(parent) {\n\(member)\n}")
            #expect(refusals.count == 1)
            #expect(refusals.first?.hasPrefix("2:1: @") == true)
            #expect(refusals.first?.hasSuffix("not in an extension") == true)
        }
        #expect(refusals(of: "final class Model {\n@State var town = 1\n}").isEmpty)
    }

    @Test func `A member in a branch of #if`() {
        for member in ["@Output var town = 1", "@Action func look() {}", "#if A\n@Event var rang: Int\n#endif"] {
            let refusals = refusals(of: "@ViewModel\nfinal class Weather {\n#if DEBUG\n\(member)\n#endif\n}")
            #expect(
                refusals.contains(
                    "3:1: @ViewModel cannot know which branch of `#if` applies; write the members of the contract without it"
                )
            )
        }
        #expect(refusals(of: "@ViewModel\nfinal class Weather {\n#if DEBUG\nfunc look() {}\n#endif\n}").isEmpty)
    }

    @Test func `Two members of one name`() {
        #expect(
            refusals(
                of: "@ViewModel\nfinal class Weather {\n@Input func remove(_ id: Int) {}\n"
                    + "@Input func remove(name: String) {}\n}"
            ) == ["4:13: `Inputs` has two members `remove`; write another name"]
        )
        #expect(
            refusals(
                of: "@ViewModel\nfinal class Weather {\nstruct Inputs {\nlet a: Input<Int>\nlet a: Input<Int>\n}\n"
                    + "let inputs = Inputs()\n}"
            ) == ["5:5: `Inputs` has two members `a`; write another name"]
        )
    }

    @Test func `A name that a group has`() {
        expectRefusal(
            "@Action func actions() {}",
            "@ViewModel writes a property `actions` for the members with attributes; write another name",
            column: 18
        )
        #expect(
            refusals(of: "@ViewModel\nfinal class Weather {\n@Output var a = 1\nprivate let actions: Service\n}")
                .isEmpty
        )
    }

    @Test(arguments: ["Int...", "inout Int", "Int!", "some Schemable", "() -> Void", "@escaping () -> Void"])
    func `A parameter that is no plain value`(type: String) {
        expectRefusal(
            "@Input func move(_ to: \(type)) {}",
            "Clients send and get plain values; write the type without `inout`, `…`, `!`, `some` and `->`",
            column: 28
        )
    }

    @Test func `An output that is no plain value`() {
        expectRefusal(
            "@Output var town: Int!",
            "Clients send and get plain values; write the type without `inout`, `…`, `!`, `some` and `->`",
            column: 23
        )
        expectRefusal(
            "@Output var town: (Int, Int) = (1, 2)",
            "A tuple has no names on the wire; write several parameters, or a struct with @Schemable",
            column: 23
        )
        #expect(refusals(of: "@ViewModel\nfinal class A {\n@Input func move(_ to: (Int)) {}\n}").isEmpty)
    }

    @Test func `Names of params that the wire does not take`() {
        expectRefusal(
            "@Input func move(_meta: Int) {}",
            "`_meta` cannot be the name of a member of the params; write another name",
            column: 22
        )
        expectRefusal(
            "@Input func move(_: Int, to: Int) {}",
            "`_` cannot be the name of a member of the params; write another name",
            column: 22
        )
        expectRefusal(
            "@Input func move(to a: Int, to b: Int) {}",
            "Two members of the params are called `to`; give one another label",
            column: 33
        )
    }

    @Test func `A list as a field, and a list that the author creates`() {
        expectRefusal(
            "@Field var towns: Rows<Town> = []",
            "A list is edited and not set as a whole; write `@Output var towns` and an `@Input func` for each edit",
            column: 16
        )
        expectRefusal(
            "@Output var towns: Rows<Town> = Rows([])",
            "The list is created by the macro; write its rows as an array literal, or `= []`",
            column: 37
        )
        for modifiers in ["private(set)", "public private(set)"] {
            expectRefusal(
                "@Output \(modifiers) var towns: Rows<Town> = []",
                "A list is edited and never set; remove `private(set)`. Clients cannot edit it",
                column: modifiers.hasPrefix("public") ? 20 : 13
            )
        }
    }

    @Test func `A value that is saved in no certain place, and a computed one`() {
        expectRefusal(
            "@Field(isNamed ? .session : nil) var town = 1",
            "A value is saved in one place; write `.session`, `.user` or `.daemon`",
            column: 12
        )
        expectRefusal(
            "@Output(.session) var town: Int { 1 }",
            "A computed property is not saved; save the properties that it reads",
            column: 13
        )
    }

    @Test func `A child that may change`() {
        expectComplaint(
            "@ViewModel\nfinal class Weather {\n    @Child var header: Header\n}",
            "A child lives as long as its parent; write `let header`",
            fix: "write `let`"
        )
    }

    /// Expects a diagnostic with a fix-it.
    private func expectComplaint(_ source: String, _ message: String, fix: String) {
        let found = diagnostics(of: source)
        #expect(found.map(\.message) == [message])
        #expect(found.first?.fixIts == [fix])
    }

    @Test func `A failure without a name for a detail`() {
        #expect(
            refusals(of: "@Failure enum LookFailure {\ncase unknown(String)\n}") == [
                "2:14: A detail has a name on the wire; write `case name(detail: Value)`"
            ]
        )
        #expect(
            refusals(of: "@Failure struct LookFailure {}") == [
                "1:10: @Failure applies to an enum, whose cases are the failures; write `enum`"
            ]
        )
        #expect(
            refusals(of: "final class Weather {\n@Failure private enum LookFailure {\ncase unknown\n}\n}") == [
                "2:10: The conformance is written outside of the enclosing type; write `fileprivate`"
            ]
        )
        #expect(
            refusals(of: "@Failure enum LookFailure {\n#if DEBUG\ncase unknown\n#endif\n}") == [
                "2:1: @Failure cannot know which branch of `#if` applies; write the cases without it"
            ]
        )
        #expect(
            refusals(of: "@Failure enum LookFailure {\ncase failures\n}") == [
                "2:6: @Failure writes a property `failures`; give the case another name"
            ]
        )
        #expect(
            refusals(of: "@Retryable struct LookFailure {}") == [
                "1:1: @Retryable applies to a case of an enum with @Failure"
            ]
        )
    }
}

@Suite struct `Texts of parameters in a doc comment` {
    private func texts(_ comment: String, _ names: Set<String>) -> (rest: [String], found: [String: [String]]) {
        var reader = ParameterTexts(names)
        let rest = reader.removed(
            from: comment.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        )
        return (rest, reader.found)
    }

    @Test func `are separated from it`() {
        let (rest, found) = texts(
            """
            Moves.

            - Parameter row: the row,
              which exists.

              Not the header.
            - parameter `place`: the place
            or the end.
            - Throws: nothing.
            """,
            ["row", "place"]
        )
        #expect(
            found == [
                "row": ["the row,", "which exists.", "", "Not the header."], "place": ["the place", "or the end."],
            ]
        )
        #expect(rest == ["Moves.", "", "- Throws: nothing."])
    }

    @Test func `may stand in a list`() {
        let (rest, found) = texts(
            """
            Moves.

            - Parameters:
              - row: the row.
              - place: the place:
                - one
            - Returns: it.
            """,
            ["row", "place"]
        )
        #expect(found == ["row": ["the row."], "place": ["the place:", "- one"]])
        #expect(rest == ["Moves.", "", "- Returns: it."])
    }

    @Test func `of unknown parameters stay, and so does code`() {
        let comment = """
            - Parameters:
              - other: the row.
            - Parameter another: x
            ```
            - Parameter row: x
            ```
            """
        let (rest, found) = texts(comment, ["row"])
        #expect(found.isEmpty)
        #expect(rest.joined(separator: "\n") == comment)
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
