import JSONRPC
import ViewModelContract

/// The names that a generated client gives to the parts of a contract.
///
/// A program uses a client by these names. ``ContractDifference`` compares those of two contracts.
package struct GeneratedNames: Sendable {
    /// A part of a contract that has a name in generated code.
    package struct Part: Hashable, Sendable {
        /// The place of the part, such as `lamp.outputs.level`.
        let place: ExactString
        /// The declaration that has the name, if the part has several.
        let role: String
    }

    /// The parts, in the order in which they got their names.
    package private(set) var parts: [Part] = []
    private var names: [Part: String] = [:]

    /// Returns the name of a part, or nil if it has none.
    package subscript(part: Part) -> String? { names[part] }

    /// Notes the name of a part, of which the first one counts.
    mutating func add(_ name: String, at place: String, _ role: String = "") {
        let part = Part(place: ExactString(place), role: role)
        guard names[part] == nil else { return }
        names[part] = name
        parts.append(part)
    }
}

/// What makes two declared failures one.
struct FailureKey: Hashable {
    let error: String
    let details: JSONValue?
    /// The type that has it; nil if the details are the same wherever the failure is declared.
    var type: String?

    init(_ failure: ContractType.Failure) {
        error = failure.error
        details = failure.details?.node.json
    }
}

extension ContractType {
    /// The names of what a generated ViewModel has a member for, by the group in the contract.
    var memberNames: [(group: String, names: [String])] {
        [("children", children.map(\.name)), ("inputs", inputs.map(\.name)), ("actions", actions.map(\.name))]
    }
}

/// A place in a contract, where a type without a name of its own may stand.
struct GeneratedPlace {
    /// The place, such as `lamp.outputs.rows[]`.
    let path: String
    /// The name of a type that stands there.
    let hint: String

    /// Returns a place inside of this one.
    func appending(_ part: String, _ hint: String) -> GeneratedPlace {
        GeneratedPlace(path: path + part, hint: self.hint + hint)
    }

    /// The place of a component.
    static func component(_ name: String, _ hint: String) -> GeneratedPlace {
        GeneratedPlace(path: "components.\(name)", hint: hint)
    }
}

/// The names that are taken in one scope of generated code.
struct GeneratedScope {
    /// Canonically equivalent names are equal, as in Python.
    private var taken: Set<String> = []
    /// The number of the next name like one that is taken.
    private var numbers: [String: Int] = [:]
    private let reserved: Set<String>
    private let numbered: @Sendable (_ name: String, _ number: Int) -> String

    /// Creates a scope.
    ///
    /// - Parameters:
    ///   - reserved: the names that the scope has by itself. A name that equals one gets a `_` at its end.
    ///   - numbered: returns the second, third … thing with a name.
    init(reserved: Set<String>, numbered: @escaping @Sendable (_ name: String, _ number: Int) -> String) {
        self.reserved = reserved
        self.numbered = numbered
    }

    /// Takes the first of some names that is free, or the first one with a number.
    mutating func take(_ wishes: [String]) -> String {
        for wish in wishes {
            let name = allowed(wish)
            if taken.insert(name).inserted { return name }
        }
        let name = allowed(wishes.first ?? "")
        while true {
            let number = numbers[name, default: 2]
            numbers[name] = number + 1
            let candidate = numbered(name, number)
            if !reserved.contains(candidate), taken.insert(candidate).inserted { return candidate }
        }
    }

    /// Takes the names of several things.
    ///
    /// A name depends on the other things only if their first wishes are equal. Then the thing with this name in the
    /// contract gets it, otherwise the first one. The others get a name that they have wished for next.
    ///
    /// - Parameters:
    ///   - names: the names in the contract.
    ///   - wishes: returns the possible names of a thing, the best one first.
    /// - Returns: the names, in the same order.
    mutating func take(all names: [String], _ wishes: (String) -> [String]) -> [String] {
        let wishes = names.map(wishes)
        var given: [Int: String] = [:]
        for index in names.indices where wishes[index].first.map(allowed) == names[index] {
            given[index] = take(wishes[index])
        }
        return names.indices.map { given[$0] ?? take(wishes[$0]) }
    }

    private func allowed(_ name: String) -> String { reserved.contains(name) ? name + "_" : name }
}

/// The names that generated code must not give to something else, as `Templates/names.txt` lists them.
enum ReservedNames {
    private static let lists: [String: Set<String>] = {
        var lists: [String: Set<String>] = [:]
        var name = ""
        for word in ClientRuntime.text(of: "names.txt").split(whereSeparator: \.isWhitespace).map(String.init) {
            if word.hasSuffix(":") { name = String(word.dropLast()) } else { lists[name, default: []].insert(word) }
        }
        return lists
    }()

    /// Returns the names of a list.
    static func list(_ name: String) -> Set<String> { lists[name, default: []] }
}
