internal import JSONRPC

/// A change of the values that an earlier version of a class has saved.
///
/// It runs for the values of each instance, of each user and of the daemon, and for those of each key, before the class
/// reads them. It runs on any thread, perhaps on several at once and more than once for the same values. If it throws, the
/// class starts fresh. The log and the daemon's health name the class, the values are kept as they were, and the next start
/// of the daemon tries again.
///
///     static var migrations: [SavedMigration] {
///         [
///             SavedMigration("volume") { saved in
///                 if let percent = try saved.value("volume", as: Int.self) {
///                     try saved.set("volume", to: Double(percent) / 100)
///                 }
///             }
///         ]
///     }
public struct SavedMigration: Sendable {
    /// The names of the values that it reads or removes.
    package let names: [String]
    let change: @Sendable (inout SavedValues) throws -> Void

    /// Creates a change.
    ///
    /// - Parameters:
    ///   - names: the names of the values that it reads or removes. `viewmodelctl diff` and a golden contract report other
    ///     values as lost if the class does not read them any more.
    ///   - change: the change.
    public init(_ names: String..., change: @escaping @Sendable (inout SavedValues) throws -> Void) {
        self.names = names
        self.change = change
    }
}

/// The values of an object as an earlier version of its class has saved them.
public struct SavedValues {
    /// The JSON texts of a name.
    package struct Texts: Equatable {
        /// The present one, or nil.
        package var present: [UInt8]?
        /// Those that were put aside, the latest first.
        package var asides: [[UInt8]] = []

        package init() {}

        /// Adds an earlier text.
        package mutating func add(_ text: [UInt8], isPresent: Bool) {
            if isPresent, present == nil { present = text } else { asides.append(text) }
        }

        /// Adds earlier texts.
        package mutating func add(_ others: Self) {
            if let text = others.present { add(text, isPresent: true) }
            asides += others.asides
        }
    }

    /// The texts by name.
    package private(set) var texts: [String: Texts]

    package init(_ texts: [String: Texts]) {
        self.texts = texts
    }

    /// The names of the values, also of those that were put aside.
    public var names: [String] { texts.keys.sorted() }

    /// Returns a value, or nil if none is saved under the name.
    ///
    /// - Parameters:
    ///   - name: the name.
    ///   - type: the type that the value had.
    /// - Returns: the present value, or the latest that was put aside and is of the type.
    /// - Throws: ``UnreadableValue`` if no value of the name, also none that was put aside, is of the type.
    public func value<Value: Decodable>(_ name: String, as type: Value.Type) throws -> Value? {
        guard let saved = texts[name] else { return nil }
        var problem = ""
        for text in (saved.present.map { [$0] } ?? []) + saved.asides {
            let reading = SavedReading<Value>(text)
            if let value = reading.value { return value }
            problem = reading.problem ?? ""
        }
        throw UnreadableValue(description: "\(name): \(problem)")
    }

    /// Sets a value, in place of all that are saved or were put aside under the name.
    public mutating func set(_ name: String, to value: some Encodable) throws {
        var writer = JSONWriter()
        try writer.encode(value)
        texts[name] = Texts()
        texts[name]?.present = writer.bytes
    }

    /// Erases a value, also those that were put aside under the name.
    public mutating func remove(_ name: String) {
        texts[name] = nil
    }

    /// Gives a value, and those that were put aside under its name, another name.
    ///
    /// A value that has the new name is put aside.
    public mutating func rename(_ name: String, to new: String) {
        guard var moved = texts.removeValue(forKey: name) else { return }
        let former = texts[new]
        moved.asides += (former?.present.map { [$0] } ?? []) + (former?.asides ?? [])
        texts[new] = moved
    }
}

/// An error: a saved value is of another type than a migration expects.
public struct UnreadableValue: Error, CustomStringConvertible {
    /// The name and what was expected, without the value.
    public let description: String
}
