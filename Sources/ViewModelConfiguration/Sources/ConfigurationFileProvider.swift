import Configuration
import Yams

/// A provider of swift-configuration for the values of a configuration file.
struct ConfigurationFileProvider: ConfigProvider {
    /// An error: the value is of another type than the requested one.
    struct Mismatch: Error {}

    let name: String
    let entries: [String: ConfigurationFileEntry]

    var providerName: String { name }

    func value(forKey key: AbsoluteConfigKey, type: ConfigType) throws -> LookupResult {
        let encodedKey = key.components.joined(separator: ".")
        let content = try entries[encodedKey].map { try Self.content($0.content, as: type) }
        return LookupResult(encodedKey: encodedKey, value: content.map { ConfigValue($0, isSecret: false) })
    }

    func fetchValue(forKey key: AbsoluteConfigKey, type: ConfigType) async throws -> LookupResult {
        try value(forKey: key, type: type)
    }

    func watchValue<Return: ~Copyable>(
        forKey key: AbsoluteConfigKey,
        type: ConfigType,
        updatesHandler: (ConfigUpdatesAsyncSequence<Result<LookupResult, any Error>, Never>) async throws -> Return
    ) async throws -> Return {
        try await watchValueFromValue(forKey: key, type: type, updatesHandler: updatesHandler)
    }

    func snapshot() -> any ConfigSnapshot {
        Snapshot(provider: self)
    }

    func watchSnapshot<Return: ~Copyable>(
        updatesHandler: (ConfigUpdatesAsyncSequence<any ConfigSnapshot, Never>) async throws -> Return
    ) async throws -> Return {
        try await watchSnapshotFromSnapshot(updatesHandler: updatesHandler)
    }

    /// A snapshot, which is the provider itself because its entries never change.
    private struct Snapshot: ConfigSnapshot {
        let provider: ConfigurationFileProvider

        var providerName: String { provider.name }

        func value(forKey key: AbsoluteConfigKey, type: ConfigType) throws -> LookupResult {
            try provider.value(forKey: key, type: type)
        }
    }

    private static func content(
        _ content: ConfigurationFileEntry.Content,
        as type: ConfigType
    ) throws(Mismatch) -> ConfigContent {
        switch (type, content) {
        // An integer is also valid where a text is expected, such as a group's number or the mode 0660.
        case (.string, .text(let text)), (.string, .integer(let text)):
            return .string(text)
        case (.int, .integer(let text)):
            guard let number = Int.construct(from: Node.Scalar(text)) else { throw Mismatch() }
            return .int(number)
        case (.double, .integer(let text)), (.double, .other(let text)):
            guard let number = Double.construct(from: Node.Scalar(text)) else { throw Mismatch() }
            return .double(number)
        case (.bool, .boolean(let text)):
            guard let value = Bool.construct(from: Node.Scalar(text)) else { throw Mismatch() }
            return .bool(value)
        case (.stringArray, .list(let items)):
            return .stringArray(items)
        default:
            throw Mismatch()
        }
    }
}
