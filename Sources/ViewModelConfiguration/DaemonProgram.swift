/// The keys that a feature adds to the configuration of a daemon.
package struct FeatureKeys: Sendable {
    /// Returns the problems and the warnings of values that are valid by themselves.
    ///
    /// It gets the configuration, and the locations of the values that a source has, by the names of their keys.
    package typealias Review =
        @Sendable (DaemonConfiguration, [String: ConfigurationProblem.Location]) -> (
            problems: [ConfigurationProblem], warnings: [ConfigurationProblem]
        )

    package let keys: [ConfigurationKey]
    package let review: Review

    package init(_ keys: [ConfigurationKey], review: @escaping Review = { _, _ in ([], []) }) {
        self.keys = keys
        self.review = review
    }
}

/// The program of a daemon: its name, from which the names of its files, directories and variables derive, and its keys.
package struct DaemonProgram: Sendable {
    /// The daemon that ships with this package, as its gateway knows it: the keys of features are not read.
    package static let viewmodeld = DaemonProgram(checked: "viewmodeld", skipsOtherFeatures: true)

    /// The name: a lower-case letter, then lower-case letters, digits, `-` and `_`; at most 32 characters.
    package let name: String
    /// What the features of the daemon and its author add.
    let features: [FeatureKeys]
    /// Whether keys of features that the program does not have are skipped, and no error.
    let skipsOtherFeatures: Bool
    /// The keys of the configuration, in the order of the shipped example.
    let configurationKeys: [ConfigurationKey]

    private init(checked name: String, features: [FeatureKeys] = [], skipsOtherFeatures: Bool = false) {
        self.name = name
        self.features = features
        self.skipsOtherFeatures = skipsOtherFeatures
        configurationKeys = Self.keys(features)
    }

    /// Creates the program of a name; returns nil if the name is not valid.
    package init?(name: String, features: [FeatureKeys] = []) {
        let isName = name.utf8.enumerated().allSatisfy { offset, byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"): true
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"): offset > 0
            default: false
            }
        }
        guard isName, 1...32 ~= name.utf8.count else { return nil }
        self.init(checked: name, features: features)
    }

    /// The path of the socket below the directory for runtime files, such as `/run`.
    package var socketPath: String { "\(name)/\(name).sock" }
    /// The path of the configuration file below the directory for configuration, such as `/etc`.
    package var configurationPath: String { "\(name)/\(name).yaml" }

    /// The keys that the daemon's author adds.
    package var ownKeys: [ConfigurationKey] { configurationKeys.filter { $0.section == ConfigurationKey.ownSection } }

    /// Returns the keys of every daemon, then those of the features, each of which follows the others of its section.
    private static func keys(_ features: [FeatureKeys]) -> [ConfigurationKey] {
        // Two features may need the same key.
        var names: Set<String> = []
        let keys = (ConfigurationKey.core + features.flatMap(\.keys)).filter { names.insert($0.name).inserted }
        var sections: [Substring] = []
        for key in keys where !sections.contains(key.section) { sections.append(key.section) }
        return sections.flatMap { section in keys.filter { $0.section == section } }
    }
}

extension DaemonProgram {
    /// The features of this package, by the keys and sections that they bring.
    ///
    /// A program knows the keys of its own features only. This table is for errors, and for programs that read the
    /// configuration of another one.
    static let featureKeys = [
        "account": "accounts", "cache": "accounts", "lab": "lab", "limits.outboxBytesPerUser": "accounts",
        "limits.outboxItemsPerUser": "accounts", "node": "sharedStore", "store": "sharedStore", "vault": "accounts",
    ]

    /// Returns the name of the feature that brings a key or a section, or nil.
    static func feature(of key: String) -> String? {
        featureKeys[key] ?? featureKeys[String(key.prefix { $0 != "." })]
    }

    /// Returns the problem with a key or section that the program does not have and another feature does; nil for other
    /// names, and if the program skips such keys.
    func problem(withUnknown key: String) -> String? {
        guard !skipsOtherFeatures, let feature = Self.feature(of: key) else { return nil }
        return "\(key) belongs to the feature \(feature), which \(name) does not have. Remove the key"
    }
}
