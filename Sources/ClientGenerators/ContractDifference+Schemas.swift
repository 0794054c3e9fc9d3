import JSONRPC
import ViewModelContract
import ViewModelProtocol

extension ContractDifference {
    /// The place of a value in the contract.
    struct Place {
        let path: String
        /// Whether the client sends the value; it receives any other.
        let isSent: Bool

        /// Returns the place of a part of the value.
        func appending(_ part: String) -> Place { Place(path: path + part, isSent: isSent) }
    }

    private mutating func add(_ severity: Severity, _ place: Place, _ text: String) {
        add(severity, place.path, text)
    }

    private mutating func add(_ place: Place, sent: Severity, received: Severity, _ text: String) {
        add(place.isSent ? sent : received, place.path, text)
    }

    /// Compares the schemas of a value, and the names of their types unless no program uses them.
    mutating func compareSchemas(_ old: ContractSchema, _ new: ContractSchema, _ place: Place, isNamed: Bool = true) {
        comparePart(old, new, place, isNamed: isNamed)
        // A chain of components may be long, so that each is compared after the one before it.
        while let next = waiting.popLast() { compareRules(next.old, next.new, next.place) }
    }

    private mutating func comparePart(
        _ old: ContractSchema,
        _ new: ContractSchema,
        _ place: Place,
        isNamed: Bool = true
    ) {
        if let later = new.unwrapped, old.unwrapped == nil, !allowsNull(old) {
            add(place, sent: .additive, received: .breaking, "may be null")
            return comparePart(old, later, place)
        }
        if let former = old.unwrapped, new.unwrapped == nil, !allowsNull(new) {
            add(place, sent: .breaking, received: .source, "is never null")
            return comparePart(former, new, place)
        }
        let names = (old.componentName(in: self.old.components), new.componentName(in: self.new.components))
        if isNamed, names.0 != names.1 {
            let text = names.1.map { "has the type \($0)" } ?? "has a type without a name"
            add(.source, place, names.0.map { "\(text), not \($0)" } ?? text)
        }
        let resolved = (self.old.components.resolved(old), self.new.components.resolved(new))
        guard case (.reference(let former), .reference(let later)) = (old.rule, new.rule) else {
            return compareRules(resolved.0, resolved.1, place)
        }
        guard compared.insert([former, later, "\(place.isSent)"]).inserted else { return }
        waiting.append((resolved.0, resolved.1, place))
    }

    /// Whether a schema allows null although it does not list it.
    private func allowsNull(_ schema: ContractSchema) -> Bool {
        if case .any = schema.rule { true } else { schema.isNull }
    }

    private mutating func compareRules(_ old: ContractSchema, _ new: ContractSchema, _ place: Place) {
        switch (old.rule, new.rule) {
        case (.any, .any), (.null, .null), (.boolean, .boolean): break
        case (_, .any): add(place, sent: .source, received: .breaking, "is any value")
        case (.any, _): add(place, sent: .breaking, received: .source, "is \(Self.kind(new)), not any value")
        case (.integer(let low, let high), .integer(let newLow, let newHigh)):
            compareBounds((low, high), (newLow, newHigh), place)
            compareDivisors(old, new, place)
            compareFormats(old, new, place)
            let isExact = JavaScriptValues.areExact(newLow, newHigh)
            if isExact != JavaScriptValues.areExact(low, high) {
                add(.source, place, isExact ? "is a number in JavaScript, not a bigint" : "is a bigint in JavaScript")
            }
        case (.number(let low, let high), .number(let newLow, let newHigh)):
            compareBounds((low, high), (newLow, newHigh), place)
            compareDivisors(old, new, place)
        case (.integer, .number): add(place, sent: .source, received: .breaking, "may have a fraction")
        case (.number, .integer): add(place, sent: .breaking, received: .source, "has no fraction any more")
        case (.string(let former), .string(let later)):
            compareStrings(former, later, place)
            compareFormats(old, new, place)
        case (.choice(let former), .choice(let later)): compareCases(former, later, place)
        case (.choice(let cases), .string) where SwiftClientTypes.rawType(cases) == "String",
            (.choice(let cases), .integer) where SwiftClientTypes.rawType(cases) == "Int":
            add(.source, place, "is \(Self.kind(new)), not one of its cases")
        case (.string, .choice(let cases)) where SwiftClientTypes.rawType(cases) == "String",
            (.integer, .choice(let cases)) where SwiftClientTypes.rawType(cases) == "Int":
            add(place, sent: .breaking, received: .source, "is one of a list of cases")
        case (.array(let former, let count, let isSet), .array(let later, let newCount, let isNewSet)):
            compareBounds(Self.bounds(count), Self.bounds(newCount), place.appending(" (number of elements)"))
            if isNewSet, !isSet, place.isSent { add(.breaking, place, "must not have an element twice") }
            comparePart(former, later, place.appending("[]"))
        case (.object(let former, let others), .object(let later, let newOthers)):
            let counts = (Self.bounds(old.memberCount), Self.bounds(new.memberCount))
            compareBounds(counts.0, counts.1, place.appending(" (number of members)"))
            compareProperties(Self.named(former, of: old, in: new), later, others, newOthers, place)
        case (.anyOf(let former), .anyOf(let later)): compareAlternatives(former, later, place)
        case (.anyOf(let former), _): compareAlternatives(former, [new], place)
        case (_, .anyOf(let later)): compareAlternatives([old], later, place)
        default: add(.breaking, place, "is \(Self.kind(new)), not \(Self.kind(old))")
        }
    }

    private mutating func compareBounds<Bound: Comparable>(
        _ old: (low: Bound?, high: Bound?),
        _ new: (low: Bound?, high: Bound?),
        _ place: Place
    ) {
        for (former, later, name, isNarrower) in [
            (old.low, new.low, "least", { (old: Bound, new: Bound) in new > old }),
            (old.high, new.high, "greatest", { (old: Bound, new: Bound) in new < old }),
        ] where former != later {
            let narrows = later.map { later in former.map { isNarrower($0, later) } ?? true } ?? false
            let text = later.map { "has the \(name) value \($0)" } ?? "has no \(name) value any more"
            add(narrows && place.isSent ? .breaking : .additive, place, text)
        }
    }

    private mutating func compareDivisors(_ old: ContractSchema, _ new: ContractSchema, _ place: Place) {
        guard old.divisor != new.divisor else { return }
        guard let later = new.divisor else { return add(.additive, place, "is a multiple of no number any more") }
        let ratio = old.divisor.flatMap { Double($0) }.flatMap { former in Double(later).map { former / $0 } }
        let isWider = ratio.map { $0.rounded() == $0 } ?? false
        add(isWider || !place.isSent ? .additive : .breaking, place, "is a multiple of \(later)")
    }

    private static func bounds(_ range: ClosedRange<Int>) -> (low: Int?, high: Int?) {
        (range.lowerBound == 0 ? nil : range.lowerBound, range.upperBound == .max ? nil : range.upperBound)
    }

    private mutating func compareStrings(
        _ old: ContractSchema.StringRule,
        _ new: ContractSchema.StringRule,
        _ place: Place
    ) {
        compareBounds(Self.bounds(old.length), Self.bounds(new.length), place.appending(" (length)"))
        if old.pattern.map(ExactString.init) != new.pattern.map(ExactString.init) {
            let text = new.pattern.map { "matches \($0)" } ?? "has no pattern any more"
            add(new.pattern != nil && place.isSent ? .breaking : .additive, place, text)
        }
    }

    private mutating func compareFormats(_ old: ContractSchema, _ new: ContractSchema, _ place: Place) {
        let (formerName, laterName) = (Self.format(of: old), Self.format(of: new))
        guard formerName != laterName else { return }
        let text = laterName.map { "has the format \($0)" } ?? "has no format any more"
        let (former, later) = (Self.restriction(of: old), Self.restriction(of: new))
        guard former != later else { return add(.additive, place, text) }
        // One side of the wire reads the format, and the other one writes it. `uint64` has values that other integers
        // lack, and lacks the negative ones.
        let isFree = (place.isSent ? later : former) == nil && ![former, later].contains("uint64")
        add(isFree ? .source : .breaking, place, text)
    }

    /// Returns the format of a schema, or nil if the values are those without a format.
    ///
    /// A password is any text that tools hide. An integer has 64 bits in any case.
    private static func restriction(of schema: ContractSchema) -> String? {
        format(of: schema).flatMap { ["password", "int64"].contains($0) ? nil : $0 }
    }

    private static func format(of schema: ContractSchema) -> String? {
        if case .string(let rule) = schema.rule { rule.format } else { schema.format }
    }

    private mutating func compareCases(_ old: [ContractSchema.Choice], _ new: [ContractSchema.Choice], _ place: Place) {
        let (oldValues, newValues) = (Set(old.map(\.value)), Set(new.map(\.value)))
        let kinds = Set(old.map(\.value.kind))
        for removed in old where !newValues.contains(removed.value) {
            add(place, sent: .breaking, received: .source, "has no case \(removed.value) any more")
        }
        for added in new where !oldValues.contains(added.value) {
            // A client keeps the raw value of an unknown case. Its type has no place for a value of another kind.
            let received: Severity = kinds.contains(added.value.kind) ? .source : .breaking
            add(place, sent: .additive, received: received, "has the new case \(added.value)")
        }
    }

    /// Returns the members of a saved value under the names that they have in the new schema.
    ///
    /// What was saved before the old version may still have former names.
    private static func named(
        _ members: [ContractSchema.Property],
        of old: ContractSchema,
        in new: ContractSchema
    ) -> [(name: String, member: ContractSchema.Property)] {
        func formerNames(_ schema: ContractSchema, _ name: String) -> [String] {
            (schema.node["x-formerly"]?[name]?.elements ?? []).compactMap(\.text)
        }
        var present: [ExactString: String] = [:]
        for (name, _) in new.node["x-formerly"]?.members ?? [] {
            for former in formerNames(new, name) { present[ExactString(former)] = name }
        }
        var (all, known): ([(name: String, member: ContractSchema.Property)], Set<ExactString>) = ([], [])
        for member in members {
            for name in [member.name] + formerNames(old, member.name) {
                let later = present[ExactString(name)] ?? name
                if known.insert(ExactString(later)).inserted { all.append((later, member)) }
            }
        }
        return all
    }

    private mutating func compareProperties(
        _ old: [(name: String, member: ContractSchema.Property)],
        _ new: [ContractSchema.Property],
        _ oldOthers: ContractSchema?,
        _ newOthers: ContractSchema?,
        _ place: Place
    ) {
        let names = (old.map { ExactString($0.name) }, new.map { ExactString($0.name) })
        let (formerNames, laterNames) = (Set(names.0), Set(names.1))
        let common = names.0.filter(laterNames.contains)
        if place.isSent, common != names.1.filter(formerNames.contains) {
            add(.source, place, "has its members in another order, which is that of the labels in Swift")
        }
        let properties = Dictionary(zip(names.1, new)) { first, _ in first }
        for (name, former) in old {
            let property = place.appending(".\(name)")
            guard let later = properties[ExactString(name)] else {
                if newOthers == nil || !place.isSent { add(.breaking, property, "was removed") }
                continue
            }
            switch (former.isRequired, later.isRequired) {
            case (false, true): add(property, sent: .breaking, received: .source, "is required")
            case (true, false): add(property, sent: .additive, received: .breaking, "may be left out")
            default: break
            }
            comparePart(former.schema, later.schema, property)
        }
        for later in new where !formerNames.contains(ExactString(later.name)) {
            let isBreaking = later.isRequired && place.isSent
            add(
                isBreaking ? .breaking : .additive,
                place.appending(".\(later.name)"),
                "was added\(isBreaking ? " and is required" : "")"
            )
        }
        switch (oldOthers, newOthers) {
        case (let former?, let later?): comparePart(former, later, place.appending(".*"))
        case (_?, nil) where place.isSent: return add(.breaking, place, "has no further members any more")
        default: break
        }
        // The type of a map has no members with names of their own.
        let isMap = new.isEmpty && newOthers != nil
        if isMap != (old.isEmpty && oldOthers != nil) {
            add(.source, place, isMap ? "has members of any name" : "is no map any more")
        }
    }

    private mutating func compareAlternatives(_ old: [ContractSchema], _ new: [ContractSchema], _ place: Place) {
        // Null was compared before, or both have it.
        if old.count == 2, new.count == 2, let former = old.first(where: { !$0.isNull }),
            let later = new.first(where: { !$0.isNull }), old.contains(where: \.isNull), new.contains(where: \.isNull)
        {
            return comparePart(former, later, place)
        }
        // An alternative is the same as before if it is written in the same way, or if it is the only one of its kind.
        var (removed, added) = (old, new)
        comparePairs(&removed, &added, place) { schema, contract in
            [.string(Self.kind(schema, in: contract)), schema.node.json.withoutDescriptions]
        }
        let former = Dictionary(grouping: removed) { Self.kind($0, in: self.old) }.mapValues(\.count)
        let later = Dictionary(grouping: added) { Self.kind($0, in: self.new) }.mapValues(\.count)
        comparePairs(&removed, &added, place) { schema, contract in
            let kind = Self.kind(schema, in: contract)
            return former[kind] == 1 && later[kind] == 1 ? [.string(kind)] : nil
        }
        for schema in removed {
            let text = "is not \(schema.node.json.withoutDescriptions) any more"
            add(place, sent: .breaking, received: .source, text)
        }
        for schema in added {
            add(place, sent: .source, received: .breaking, "may be \(schema.node.json.withoutDescriptions)")
        }
    }

    /// Compares the alternatives of two unions that have the same key, and removes them; one without a key has no pair.
    private mutating func comparePairs(
        _ old: inout [ContractSchema],
        _ new: inout [ContractSchema],
        _ place: Place,
        by key: (ContractSchema, Contract) -> [JSONValue]?
    ) {
        let all = new
        var partners = Dictionary(grouping: all.indices.reversed()) { key(all[$0], self.new) }
        partners[nil] = nil
        var (removed, pairs) = ([ContractSchema](), Set<Int>())
        for former in old {
            if let partner = partners[key(former, self.old)]?.popLast() {
                pairs.insert(partner)
                comparePart(former, all[partner], place)
            } else {
                removed.append(former)
            }
        }
        (old, new) = (removed, all.indices.filter { !pairs.contains($0) }.map { all[$0] })
    }

    private static func kind(_ schema: ContractSchema, in contract: Contract) -> String {
        kind(contract.components.resolved(schema))
    }

    /// Returns the kind of a schema's values in words.
    private static func kind(_ schema: ContractSchema) -> String {
        switch schema.rule {
        case .any: "any value"
        case .null: "null"
        case .boolean: "a boolean"
        case .integer: "an integer"
        case .number: "a number"
        case .string: "a string"
        case .choice: "one of a list of cases"
        case .array: "an array"
        case .object: "an object"
        case .anyOf: "one of several types"
        case .reference(let name): name
        }
    }
}
