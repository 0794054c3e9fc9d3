/// The differences between two contracts, judged for the clients of the old one.
///
/// A contract is the part of a discovery document with the ViewModels: `x-viewModels` and `components.schemas`.
struct ContractDifference {
    /// A difference.
    struct Change: Equatable {
        /// The member and the difference.
        let text: String
        /// Whether a client of the old contract may fail with the new one.
        let isBreaking: Bool
    }

    /// The direction of a value, seen from the client.
    private enum Direction {
        case sent
        case received
    }

    private let old: JSONValue
    private let new: JSONValue
    /// The pairs of referenced schemas that have been compared, because schemas may be recursive.
    private var compared: Set<[String]> = []
    /// The differences, by types and members in the order of their names.
    private(set) var changes: [Change] = []

    /// Whether a difference may break a client.
    var isBreaking: Bool { changes.contains { $0.isBreaking } }

    /// Compares two contracts.
    init(from old: JSONValue, to new: JSONValue) {
        self.old = old
        self.new = new
        compareMembers(old["x-viewModels"], new["x-viewModels"], "") { difference, old, new, name in
            difference.compareType(old, new, name)
        }
    }

    private mutating func add(_ place: String, _ text: String, breaks: Bool) {
        changes.append(Change(text: "\(place) \(text)", isBreaking: breaks))
    }

    /// Compares the members of two objects: a removed one breaks clients, an added one does not.
    private mutating func compareMembers(
        _ old: JSONValue?,
        _ new: JSONValue?,
        _ prefix: String,
        _ compare: (inout Self, _ old: JSONValue, _ new: JSONValue, _ place: String) -> Void
    ) {
        let (old, new) = (old?.objectValue ?? [:], new?.objectValue ?? [:])
        for name in Set(old.keys).union(new.keys).sorted() {
            switch (old[name], new[name]) {
            case (let old?, let new?): compare(&self, old, new, prefix + name)
            case (_?, nil): add(prefix + name, "was removed", breaks: true)
            case (nil, _): add(prefix + name, "was added", breaks: false)
            }
        }
    }

    private mutating func compareType(_ old: JSONValue, _ new: JSONValue, _ type: String) {
        compareText("description", old, new, type, breaks: false)
        compareSchemas(old["arguments"], new["arguments"], "\(type).arguments", .sent)
        compareMembers(old["inputs"], new["inputs"], "\(type).inputs.") { difference, old, new, place in
            difference.compareText("description", old, new, place, breaks: false)
            difference.compareSchemas(old["schema"], new["schema"], place, .sent)
        }
        compareMembers(old["outputs"], new["outputs"], "\(type).outputs.") { difference, old, new, place in
            difference.compareText("description", old, new, place, breaks: false)
            difference.compareText("kind", old, new, place, breaks: true)
            difference.compareSchemas(old["schema"], new["schema"], place, .received)
        }
        compareMembers(old["actions"], new["actions"], "\(type).actions.") { difference, old, new, place in
            difference.compareText("description", old, new, place, breaks: false)
            difference.compareText("policy", old, new, place, breaks: true)
            difference.compareSchemas(old["params"], new["params"], "\(place).params", .sent)
            difference.compareSchemas(old["result"], new["result"], "\(place).result", .received)
            difference.compareFailures(old["errors"], new["errors"], "\(place).errors.")
        }
        compareMembers(old["children"], new["children"], "\(type).children.") { difference, old, new, place in
            if old != new { difference.add(place, "changed from \(old) to \(new)", breaks: true) }
        }
    }

    /// Compares declared failures, none of which a client can rely on.
    private mutating func compareFailures(_ old: JSONValue?, _ new: JSONValue?, _ prefix: String) {
        func byName(_ failures: JSONValue?) -> JSONObject {
            let pairs = (failures?.arrayValue ?? []).map { ($0["error"]?.stringValue ?? "", $0) }
            return JSONObject(pairs.reversed())
        }
        let (old, new) = (byName(old), byName(new))
        for name in Set(old.keys).union(new.keys).sorted() {
            let place = prefix + name
            guard let former = old[name], let later = new[name] else {
                add(place, old[name] == nil ? "was added" : "was removed", breaks: false)
                continue
            }
            compareText("description", former, later, place, breaks: false)
            compareText("retryable", former, later, place, breaks: false)
            compareSchemas(former["details"], later["details"], "\(place).details", .received)
        }
    }

    private mutating func compareText(
        _ name: String,
        _ old: JSONValue,
        _ new: JSONValue,
        _ place: String,
        breaks: Bool
    ) {
        let (old, new) = (old[name] ?? .null, new[name] ?? .null)
        if old != new { add(place, "has another \(name): \(old) → \(new)", breaks: breaks) }
    }

    // MARK: Schemas

    private mutating func compareSchemas(
        _ old: JSONValue?,
        _ new: JSONValue?,
        _ place: String,
        _ direction: Direction
    ) {
        let (old, new) = (old ?? .null, new ?? .null)
        if let former = old["$ref"]?.stringValue, let later = new["$ref"]?.stringValue {
            guard compared.insert([former, later, "\(direction)"]).inserted else { return }
        }
        let former = OptionalSchema(Self.resolved(old, in: self.old))
        let later = OptionalSchema(Self.resolved(new, in: self.new))
        if former.isOptional != later.isOptional {
            add(
                place,
                later.isOptional ? "may be null" : "is never null",
                breaks: later.isOptional == (direction == .received)
            )
        }
        compareValues(
            Self.resolved(former.schema, in: self.old),
            Self.resolved(later.schema, in: self.new),
            place,
            direction
        )
    }

    private mutating func compareValues(
        _ old: JSONValue,
        _ new: JSONValue,
        _ place: String,
        _ direction: Direction
    ) {
        guard var former = old.objectValue, var later = new.objectValue else {
            if old != new { add(place, "has another type: \(old) → \(new)", breaks: true) }
            return
        }
        compareText("description", old, new, place, breaks: false)
        for name in ["description", "properties", "required", "items", "enum"] {
            former[name] = nil
            later[name] = nil
        }
        guard former == later else {
            let change = "\(JSONValue.object(former)) → \(JSONValue.object(later))"
            return add(place, "has another type: \(change)", breaks: true)
        }
        if old["items"] != nil || new["items"] != nil {
            compareSchemas(old["items"], new["items"], "\(place)[]", direction)
        }
        compareCases(old["enum"]?.arrayValue, new["enum"]?.arrayValue, place, direction)
        compareProperties(old, new, place, direction)
    }

    /// Compares the cases of two enums.
    private mutating func compareCases(
        _ old: [JSONValue]?,
        _ new: [JSONValue]?,
        _ place: String,
        _ direction: Direction
    ) {
        guard old != nil || new != nil else { return }
        guard let old, let new else {
            // A value that was free can be one of few now, or the other way round.
            let isNarrower = old == nil
            return add(
                place,
                isNarrower ? "has a list of cases" : "has no list of cases",
                breaks: isNarrower == (direction == .sent)
            )
        }
        for removed in old where !new.contains(removed) {
            add(place, "has no case \(removed) any more", breaks: direction == .sent)
        }
        for added in new where !old.contains(added) {
            add(place, "has the new case \(added)", breaks: direction == .received)
        }
    }

    /// Compares the properties of two objects.
    private mutating func compareProperties(
        _ old: JSONValue,
        _ new: JSONValue,
        _ place: String,
        _ direction: Direction
    ) {
        let (former, later) = (old["properties"]?.objectValue ?? [:], new["properties"]?.objectValue ?? [:])
        let (formerlyRequired, laterRequired) = (Self.required(old), Self.required(new))
        for name in Set(former.keys).union(later.keys).sorted() {
            let property = "\(place).\(name)"
            let isRequired = laterRequired.contains(name)
            switch (former[name], later[name]) {
            case (let former?, let later?):
                if formerlyRequired.contains(name) != isRequired {
                    add(
                        property,
                        isRequired ? "is required" : "may be left out",
                        breaks: isRequired == (direction == .sent)
                    )
                }
                compareSchemas(former, later, property, direction)
            case (_?, nil):
                add(property, "was removed", breaks: true)
            case (nil, _):
                add(
                    property,
                    isRequired && direction == .sent ? "was added and is required" : "was added",
                    breaks: isRequired && direction == .sent
                )
            }
        }
    }

    private static func required(_ schema: JSONValue) -> Set<String> {
        Set(schema["required"]?.arrayValue?.compactMap(\.stringValue) ?? [])
    }

    /// Returns the schema that a reference names, or the schema itself.
    private static func resolved(_ schema: JSONValue, in contract: JSONValue) -> JSONValue {
        guard let name = GoldenContract.definition(schema) else { return schema }
        return contract["components"]?["schemas"]?[name] ?? schema
    }
}

/// A schema and whether null is allowed beside it.
private struct OptionalSchema {
    let schema: JSONValue
    let isOptional: Bool

    init(_ schema: JSONValue) {
        let alternatives = schema["anyOf"]?.arrayValue ?? []
        let null: JSONValue = .object(["type": .string("null")])
        if alternatives.count == 2, alternatives[1] == null {
            self.schema = alternatives[0]
            isOptional = true
        } else {
            self.schema = schema
            isOptional = false
        }
    }
}
