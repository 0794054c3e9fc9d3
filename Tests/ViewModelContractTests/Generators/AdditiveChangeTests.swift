import ClientGenerators
import TestSupport
import Testing
import ViewModelContract

/// A program that uses a generated client keeps its meaning after a change that `diff` calls additive.
@Suite struct AdditiveChangeTests {
    /// A member of an object.
    private struct Member {
        var name: String
        var type: String
        var isRequired: Bool

        static func text(_ members: [Member]) -> String {
            let properties = members.map { "\(quoted($0.name)): \($0.type)" }.joined(separator: ", ")
            let required = members.filter(\.isRequired).map { quoted($0.name) }.joined(separator: ", ")
            return #"{"type": "object", "properties": {\#(properties)}, "required": [\#(required)]}"#
        }
    }

    /// A ViewModel type: the members of its inputs, outputs and actions.
    private struct Model {
        var inputs: [(name: String, members: [Member])] = []
        var outputs: [(name: String, members: [Member])] = []
        var actions: [(name: String, members: [Member])] = []

        var text: String {
            func list(_ key: String, _ members: [(name: String, members: [Member])], _ schema: String) -> String {
                let entries = members.map { "\(quoted($0.name)): {\(quoted(schema)): \(Member.text($0.members))}" }
                return "\(quoted(key)): {\(entries.joined(separator: ", "))}"
            }
            return "{\(list("inputs", inputs, "schema")), \(list("outputs", outputs, "schema")), "
                + "\(list("actions", actions, "params"))}"
        }
    }

    private struct Document {
        var types: [(name: String, model: Model)] = []
        var components: [(name: String, members: [Member])] = []

        func contract() throws -> Contract {
            let types = types.map { "\(quoted($0.name)): \($0.model.text)" }
            // Each component is a value that the client receives.
            let outputs = components.map { component in
                let name = "c" + component.name.utf8.map { String($0, radix: 16) }.joined()
                return #"\#(quoted(name)): {"schema": \#(reference(component.name))}"#
            }
            let shown = #""shown": {"outputs": {\#(outputs.joined(separator: ", "))}}"#
            let schemas = components.map { "\(quoted($0.name)): \(Member.text($0.members))" }.joined(separator: ", ")
            return try Contract(types: "{\((types + [shown]).joined(separator: ", "))}", schemas: "{\(schemas)}")
        }
    }

    // MARK: Chance

    /// The names of members of objects, many of which become one name.
    private static let names = [
        "ab", "aB", "a_b", "a-b", "AB", "a b", "x", "名前", "имя", "имяПоля", "имя_поля", "\u{E9}",
        "e\u{301}",
        "\u{FB01}", "fi", "self", "self_", "from", "from_", "class", "key", "value", "to_json", "id", "1st", "+",
        "none",
    ]
    private static let members = ["ab", "aB", "aURL", "aUrl", "self", "class", "draft", "draftField", "bind", "none"]
    private static let owners = ["lamp", "lamp-x", "lampX", "Lamp", "placeLamp"]
    private static let schemas = ["Place", "place", "Pl.ace", "LampPicture", "LampAb", "名前", "имя"]

    private static func fresh(_ pool: [String], _ taken: [String], _ chance: inout Seeded) -> String? {
        pool.filter { name in !taken.contains { $0.unicodeScalars.elementsEqual(name.unicodeScalars) } }
            .randomElement(using: &chance)
    }

    private static func insert(_ members: inout [Member], _ document: Document, _ chance: inout Seeded) {
        guard let name = fresh(names, members.map(\.name), &chance) else { return }
        let references = document.components.map { reference($0.name) }
        let inline = #"{"type": "object", "properties": {"ab": {"type": "integer"}}}"#
        let types = [#"{"type": "integer"}"#, #"{"type": "string"}"#, #"{"enum": ["a", "b"]}"#, inline] + references
        let member = Member(
            name: name,
            type: types.randomElement(using: &chance) ?? "{}",
            isRequired: Int.random(in: 0..<3, using: &chance) == 0
        )
        members.insert(member, at: Int.random(in: 0...members.count, using: &chance))
    }

    private static func change(_ members: inout [Member], _ document: Document, _ chance: inout Seeded) {
        guard let index = members.indices.randomElement(using: &chance) else {
            return insert(&members, document, &chance)
        }
        switch Int.random(in: 0..<8, using: &chance) {
        case 0: members.shuffle(using: &chance)
        case 1: members[index].isRequired.toggle()
        case 2: members.remove(at: index)
        default: insert(&members, document, &chance)
        }
    }

    private static func change(
        _ list: inout [(name: String, members: [Member])],
        _ pool: [String],
        _ taken: [String],
        _ document: Document,
        _ chance: inout Seeded
    ) {
        if let index = list.indices.randomElement(using: &chance), Bool.random(using: &chance) {
            change(&list[index].members, document, &chance)
        } else if let name = fresh(pool, taken, &chance) {
            var members: [Member] = []
            for _ in 0..<3 { insert(&members, document, &chance) }
            list.insert((name, members), at: Int.random(in: 0...list.count, using: &chance))
        }
    }

    private static func change(_ document: inout Document, _ chance: inout Seeded) {
        let before = document
        let makesType = Int.random(in: 0..<8, using: &chance) == 0
        guard !makesType, let index = document.types.indices.randomElement(using: &chance) else {
            guard let name = fresh(owners, document.types.map(\.name), &chance) else { return }
            return document.types.insert((name, Model()), at: Int.random(in: 0...document.types.count, using: &chance))
        }
        let model = document.types[index].model
        let calls = model.inputs.map(\.name) + model.actions.map(\.name)
        switch Int.random(in: 0..<4, using: &chance) {
        case 0:
            change(&document.components, schemas, document.components.map(\.name), before, &chance)
        case 1: change(&document.types[index].model.inputs, members, calls, before, &chance)
        case 2:
            change(&document.types[index].model.outputs, members, model.outputs.map(\.name), before, &chance)
        default: change(&document.types[index].model.actions, members, calls, before, &chance)
        }
    }

    // MARK: Tests

    @Test func `random additive changes leave the calls and the reads of all languages as they are`() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var (additive, moved) = (0, 0)
        for round in 0..<120 {
            var chance = Seeded(seed &+ UInt64(round), for: nil)
            var document = Document()
            for _ in 0..<12 { Self.change(&document, &chance) }
            let old = try document.contract()
            for _ in 0..<Int.random(in: 1...2, using: &chance) { Self.change(&document, &chance) }
            let new = try document.contract()
            let difference = ContractDifference(from: old, to: new)
            guard difference.severity.map({ $0 <= .additive }) ?? true else {
                if difference.severity == .source { moved += 1 }
                continue
            }
            additive += 1
            // Reading a client takes much longer than the change of its contract.
            guard additive <= 25 else { continue }
            let language = ["python", "typescript", "swift"][additive % 3]
            let missing = GeneratedSurface(new, in: language).missing(from: GeneratedSurface(old, in: language))
            #expect(missing == [], "\(language), seed \(seed), round \(round): \(difference.changes)")
        }
        #expect(additive > 20 && moved > 0, "seed \(seed): \(additive) additive changes, \(moved) of the source")
    }

    /// Returns the severities of a change of the members of an object, which clients send or receive.
    private func severities(_ old: [String], _ new: [String], required: Set<String> = []) throws -> [String?] {
        func contract(_ names: [String], isSent: Bool) throws -> Contract {
            let members = names.map {
                Member(name: $0, type: #"{"type": "integer"}"#, isRequired: required.contains($0))
            }
            var model = Model()
            if isSent { model.inputs = [("move", members)] } else { model.outputs = [("place", members)] }
            return try Document(types: [("lamp", model)]).contract()
        }
        return try [true, false].map { isSent in
            try ContractDifference(from: contract(old, isSent: isSent), to: contract(new, isSent: isSent))
                .severity?.rawValue
        }
    }

    @Test func `another order is a change of the source where Swift has labels, and none of what is received`() throws {
        #expect(try severities(["from", "to"], ["to", "from"], required: ["from", "to"]) == ["source", nil])
        #expect(
            try severities(["to", "every"], ["to", "start", "every"], required: ["to"]) == ["additive", "additive"]
        )
    }

    @Test func `a member that takes the name of another one is a change of the source`() throws {
        #expect(try severities(["ab", "aB"], ["ab", "a_b", "aB"]) == ["source", "source"])
        #expect(try severities(["a_b", "ab"], ["aB", "a_b", "ab"]) == ["additive", "additive"])
        #expect(try severities(["имя"], ["名前", "имя"]) == ["additive", "additive"])
        #expect(try severities(["\u{FB01}"], ["\u{FB01}", "fi"]) == ["source", "source"])
        #expect(try severities(["\u{E9}"], ["\u{E9}", "e\u{301}"]) == ["additive", "additive"])
        #expect(try severities(["\u{E9}"], ["e\u{301}", "\u{E9}"]) == ["source", "source"])
    }

    @Test func `another form of a name is another member`() throws {
        #expect(try severities(["\u{E9}"], ["e\u{301}"]) == ["breaking", "breaking"])
    }
}

private func quoted(_ text: String) -> String { "\"\(text)\"" }
