import ViewModelContract

extension Contract {
    /// Creates a contract with ViewModel types and components, each a JSON object.
    init(types: String, schemas: String = "{}", scenes: String = "[]") throws {
        let components = #""components": {"schemas": \#(schemas)}"#
        try self.init(ContractNode(json: #"{\#(components), "x-scenes": \#(scenes), "x-viewModels": \#(types)}"#))
    }
}

/// Returns a reference to a component.
func reference(_ name: String) -> String { ##"{"$ref": "#/components/schemas/\##(name)"}"## }
