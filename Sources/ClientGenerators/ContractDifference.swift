import JSONRPC
package import ViewModelContract
import ViewModelProtocol

/// The differences between two contracts, judged for the clients of the old one.
///
/// Descriptions are not compared. The order of members counts only in an object that the client sends: Swift has labels in
/// an order.
package struct ContractDifference: Sendable {
    /// What a difference means for a client of the old contract, from the least to the most.
    package enum Severity: String, CaseIterable, Comparable, Sendable {
        /// The client works, and a client that is generated anew compiles.
        case additive
        /// The client works, but code that uses a client that is generated anew may not compile.
        case source
        /// The client may fail.
        case breaking

        package static func < (left: Self, right: Self) -> Bool {
            (allCases.firstIndex(of: left) ?? 0) < (allCases.firstIndex(of: right) ?? 0)
        }
    }

    package struct Change: Equatable, Sendable {
        package let severity: Severity
        /// The type and the member, such as `player.actions.play.params.speed`.
        package let place: String
        /// The difference, which continues a sentence that begins with the place.
        package let text: String
    }

    let old: Contract
    let new: Contract
    /// The pairs of components that have been compared, because schemas may be recursive.
    var compared: Set<[String]> = []
    /// The pairs of components that are still to be compared.
    var waiting: [(old: ContractSchema, new: ContractSchema, place: Place)] = []
    /// The differences, in the order of the old contract, with what is new after it.
    package private(set) var changes: [Change] = []

    /// The severest difference, or nil for equal contracts.
    package var severity: Severity? { changes.map(\.severity).max() }

    /// Compares two contracts.
    ///
    /// The built-in types are left out unless both contracts have them. A golden contract has none.
    package init(from old: Contract, to new: Contract) {
        func isBuiltIn(_ type: ContractType) -> Bool { InstanceID.builtIn.contains(type.name) }
        let areAllCompared = old.types.contains(where: isBuiltIn) && new.types.contains(where: isBuiltIn)
        self.old = areAllCompared ? old : old.filteringTypes { !isBuiltIn($0) }
        self.new = areAllCompared ? new : new.filteringTypes { !isBuiltIn($0) }
        compare(self.old.types, self.new.types, "", by: \.name) { $0.compareTypes($1, $2, $3) }
        compare(old.scenes, new.scenes, "scene ", by: \.name) { difference, old, new, place in
            if old.instance != new.instance {
                difference.add(
                    .breaking,
                    place,
                    "shows \(new.instance ?? "no instance"), not \(old.instance ?? "none")"
                )
            }
        }
        for former in old.savingClasses { compareSavedValues(former, new.savingClasses) }
        for name in self.old.components.names where self.new.components[name] == nil {
            add(.source, "components.\(name)", "is the name of no type any more")
        }
        for generator in ClientGenerator.all where generator.language != "typescript" {
            compareNames(generator.names(self.old), generator.names(self.new), in: generator.title)
        }
    }

    /// Compares the names that programs use: each part of both contracts keeps its name.
    private mutating func compareNames(_ old: GeneratedNames, _ new: GeneratedNames, in language: String) {
        var moved: Set<ExactString> = []
        for part in old.parts {
            guard let former = old[part], let later = new[part], !former.isExactly(later),
                moved.insert(part.path).inserted
            else {
                continue
            }
            let role = part.role.isEmpty ? "" : " (\(part.role))"
            add(.source, part.path.string, "is \(later)\(role) in \(language), not \(former)")
        }
    }

    mutating func add(_ severity: Severity, _ place: String, _ text: String) {
        changes.append(Change(severity: severity, place: place, text: text))
    }

    /// Judges the differences from an index on anew.
    mutating func revise(from first: Int, _ severity: (Severity) -> Severity) {
        for index in changes.indices.dropFirst(first) {
            let change = changes[index]
            changes[index] = Change(severity: severity(change.severity), place: change.place, text: change.text)
        }
    }

    /// Compares two lists by the names of their elements.
    ///
    /// An element that the new list lacks has the severity `removal`.
    mutating func compare<Element>(
        _ old: [Element],
        _ new: [Element],
        _ prefix: String,
        by name: (Element) -> String,
        removal: Severity = .breaking,
        _ compare: (inout Self, _ old: Element, _ new: Element, _ place: String) -> Void
    ) {
        let added = Dictionary(new.map { (ExactString(name($0)), $0) }) { first, _ in first }
        let known = Set(old.map { ExactString(name($0)) })
        for former in old {
            let place = prefix + name(former)
            if let later = added[ExactString(name(former))] {
                compare(&self, former, later, place)
            } else {
                add(removal, place, "was removed")
            }
        }
        for later in new where !known.contains(ExactString(name(later))) {
            add(.additive, prefix + name(later), "was added")
        }
    }

    private mutating func compareTypes(_ old: ContractType, _ new: ContractType, _ type: String) {
        if old.instance != new.instance {
            let severity: Severity = old.instance == nil ? .additive : .breaking
            add(
                severity,
                type,
                new.instance.map { "has the default instance \($0)" } ?? "has no default instance any more"
            )
        }
        compareParameters(old.arguments, new.arguments, "\(type).arguments")
        compare(old.inputs, new.inputs, "\(type).inputs.", by: \.name) { difference, old, new, place in
            difference.compareParameters(old.schema, new.schema, place)
            if old.isField != new.isField {
                difference.add(
                    new.isField ? .additive : .source,
                    place,
                    new.isField ? "is a field" : "is no field any more"
                )
            }
        }
        // The outputs of actions are compared with the actions.
        let outputs = (old.outputs.filter { $0.action == nil }, new.outputs.filter { $0.action == nil })
        compare(outputs.0, outputs.1, "\(type).outputs.", by: \.name) { difference, old, new, place in
            if old.kind != new.kind {
                difference.add(.breaking, place, "is of the kind \(new.kind.rawValue), not \(old.kind.rawValue)")
            } else {
                difference.compareSchemas(old.schema, new.schema, Place(path: place, isSent: false))
            }
            if old.isVolatile != new.isVolatile {
                difference.add(.additive, place, new.isVolatile ? "is volatile" : "is not volatile any more")
            }
        }
        compare(old.actions, new.actions, "\(type).actions.", by: \.name) { $0.compareActions($1, $2, $3) }
        compare(old.children, new.children, "\(type).children.", by: \.name) { difference, old, new, place in
            if old.type != new.type { difference.add(.breaking, place, "is of the type \(new.type), not \(old.type)") }
        }
    }

    private mutating func compareActions(_ old: ContractType.Action, _ new: ContractType.Action, _ place: String) {
        if old.policy != new.policy {
            // Calls that ran one by one are now refused, are cancelled, or join the one that runs.
            let joins = new.policy == .shared && [.queued, .concurrent].contains(old.policy)
            let severity: Severity = joins || [.exclusive, .latest].contains(new.policy) ? .breaking : .additive
            add(severity, place, "has the policy \(new.policy.rawValue), not \(old.policy.rawValue)")
        }
        compareParameters(old.parameters, new.parameters, "\(place).params")
        switch (old.result, new.result) {
        case (nil, nil): break
        case (nil, _?): add(.source, "\(place).result", "is a value, not null")
        case (_?, nil): add(.breaking, "\(place).result", "is null")
        case (let former?, let later?):
            compareSchemas(former, later, Place(path: "\(place).result", isSent: false))
        }
        let errors = "\(place).errors."
        compare(old.failures, new.failures, errors, by: \.error, removal: .source) { difference, old, new, place in
            if old.isRetryable != new.isRetryable {
                difference.add(.additive, place, new.isRetryable ? "is retryable" : "is not retryable any more")
            }
            switch (old.details, new.details) {
            case (nil, nil): break
            case (nil, _?): difference.add(.source, place, "has details")
            case (_?, nil): difference.add(.breaking, place, "has no details any more")
            case (let former?, let later?):
                difference.compareSchemas(former, later, Place(path: "\(place).details", isSent: false))
            }
        }
    }

    /// Compares the params of an input, of an action or of `viewModel.open`; nil stands for no params.
    private mutating func compareParameters(_ old: ContractSchema?, _ new: ContractSchema?, _ place: String) {
        switch (old, new) {
        case (nil, nil): break
        case (nil, let later?):
            if case .object(let properties, _) = self.new.components.resolved(later).rule,
                !properties.contains(where: \.isRequired)
            {
                // In TypeScript, the options of a call or the id of an instance follow the params.
                add(.source, place, "may be given")
            } else {
                add(.breaking, place, "must be given")
            }
        case (_?, nil): add(.breaking, place, "must not be given any more")
        case (let former?, let later?):
            // The members of an object are the params, and any other value is the param `value`.
            let isObject = self.new.components.isObject(later)
            guard isObject == self.old.components.isObject(former) else {
                return add(.breaking, place, isObject ? "are the members of an object" : "are the one param value")
            }
            // The name of the type of an object is in no call.
            compareSchemas(former, later, Place(path: place, isSent: true), isNamed: !isObject)
        }
    }
}
