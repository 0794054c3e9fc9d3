/// The features of this package, by the keys that they bring.
///
/// A program knows the keys of its own features only. This table is for errors, and for programs that read the
/// configuration of another one.
enum FeatureOfKey {
    private static let features = [
        "account": "accounts", "cache": "accounts", "lab": "lab", "limits.outboxBytesPerUser": "accounts",
        "limits.outboxItemsPerUser": "accounts", "node": "sharedStore", "store": "sharedStore", "vault": "accounts",
    ]

    /// Returns the name of the feature that brings a key or a section, or nil.
    static func name(of key: String) -> String? {
        features[key] ?? features[String(key.prefix { $0 != "." })]
    }

    /// The keys and the sections, sorted.
    static var keys: [String] { features.keys.sorted() }
}

extension DaemonProgram {
    /// Returns the problem with a key or section that the program does not have and another feature does; nil for other
    /// names, and if the program skips such keys.
    func problem(withUnknown key: String) -> String? {
        guard !skipsOtherFeatures, let feature = FeatureOfKey.name(of: key) else { return nil }
        return "\(key) belongs to the feature \(feature), which \(name) does not have. Remove the key"
    }
}
