internal import JSONRPC
internal import ViewModelContract

/// Values for code that cannot get the right one because of a mistake, until its step ends.
extension Graph {
    /// Returns a value of a signal that has no value to return, in a step whose session ends.
    ///
    /// It is the simplest value that the contract of its type admits. Traps for a type without a schema, because Swift cannot
    /// leave the code of the author in another way.
    func makeUpValue<Value>(for signal: Signal<Value>) -> Value {
        hasMadeUpValues = true
        if let type = Value.self as? any Schemable.Type, let value = madeUp(type) as? Value { return value }
        let name = host.nameForLog(of: signal)
        fatalError("\(name) was used while it was computed or changed, and \(Value.self) has no schema")
    }

    private func madeUp<Value: Schemable>(_ type: Value.Type) -> Value? {
        var document = SchemaDocument()
        let schema = document.received(.of(type))
        return try? Graph.decode(type, from: ValueCheck(schema, document.definitions).standardValue.text)
    }
}
