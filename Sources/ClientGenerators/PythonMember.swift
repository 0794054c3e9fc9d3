/// An entry of `members` in a class of a Python client: what a program must know to show a member of a ViewModel.
struct PythonMember {
    let kind: String
    /// The method, or the attribute of a picture.
    let name: String
    /// The attribute of a picture; empty for what is no state and no list.
    var output = ""
    /// The type of a state, or of the only value of an input.
    var type = ""
    /// The parameters; nil for what cannot be called.
    var parameters: PythonParameters?
    /// The names of a row's members in the contract, with their attributes.
    var row: [(name: String, attribute: String)]?
    var isObject = false

    /// Returns the entry for the name of the member in the contract.
    func entry(_ wire: String) -> String {
        let literal = PythonText.literal
        var texts = [literal(kind), literal(name)]
        if !output.isEmpty || !type.isEmpty { texts.append(literal(output)) }
        if !type.isEmpty { texts.append(literal(type)) }
        var arguments: [(Int) -> String] = texts.map { text in { _ in text } }
        func add(_ keyword: String, _ table: [(name: String, attribute: String)]) {
            let pairs = table.map { "\(literal($0.name)): \(literal($0.attribute))" }
            arguments.append { PythonText.list("\(keyword)={", pairs, "}", indent: $0) }
        }
        if let parameters, parameters.areNamed || parameters.names.isEmpty {
            add("parameters", Array(zip(parameters.members, parameters.names)).map { ($0, $1) })
        }
        if let row { add("row", row) }
        if isObject { arguments.append { _ in "is_object=True" } }
        return PythonText.call("\(literal(wire)): Member(", arguments, "),", indent: 8)
    }
}
