/// The names of value types among a document's components.
///
/// A type has its name in the source. If another type has that name, it gets the name of its enclosing type before it,
/// and a number if that is taken, too. The first type in the document has the shorter name.
///
/// A nested type of the built-in ViewModels always has the name of its enclosing type before it, so that its name does
/// not take one from the authors' types.
package struct SchemaNames {
    private var names: [ObjectIdentifier: String] = [:]
    private var taken: Set<String>
    /// Whether the types are those of the built-in ViewModels.
    package var areBuiltIn = false

    /// Creates the names of a document.
    ///
    /// - Parameter taken: names that no type gets.
    init(taken: Set<String>) {
        self.taken = taken
    }

    /// Returns the name of a type, or nil if it has none yet.
    func known(_ type: any Schemable.Type) -> String? { names[ObjectIdentifier(type)] }

    /// Returns the name that a type has if no other one has it.
    func wanted(_ type: any Schemable.Type) -> String {
        let (simple, enclosing) = SchemaName.simple(type)
        return areBuiltIn ? enclosing.map { "\($0).\(simple)" } ?? simple : simple
    }

    /// Returns whether a type has a name.
    func isGiven(_ name: String) -> Bool { names.values.contains(name) }

    /// Gives a name to a type.
    mutating func give(_ name: String, to type: any Schemable.Type) {
        names[ObjectIdentifier(type)] = name
        taken.insert(name)
    }

    /// Returns the name of a type.
    mutating func name(of type: any Schemable.Type) -> String {
        if let known = known(type) { return known }
        let name = free(wanted(type), areBuiltIn ? nil : SchemaName.simple(type).enclosing)
        give(name, to: type)
        return name
    }

    /// Returns a name that is not taken, and takes it.
    mutating func take(_ name: String) -> String {
        let free = free(name, nil)
        taken.insert(free)
        return free
    }

    private func free(_ simple: String, _ enclosing: String?) -> String {
        if !taken.contains(simple) { return simple }
        let base = enclosing.map { "\($0).\(simple)" } ?? simple
        if !taken.contains(base) { return base }
        var number = 2
        while taken.contains("\(base)\(number)") { number += 1 }
        return "\(base)\(number)"
    }
}
