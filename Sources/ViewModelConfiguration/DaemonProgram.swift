/// The keys that a feature adds to the configuration of a daemon.
package struct FeatureKeys: Sendable {
    /// Returns the problems and the warnings of values that are valid by themselves.
    ///
    /// It gets the configuration, and the places of the values that a source has, by the names of their keys.
    package typealias Review =
        @Sendable (DaemonConfiguration, [String: ConfigurationProblem.Location]) -> (
            problems: [ConfigurationProblem], warnings: [ConfigurationProblem]
        )

    /// The keys.
    package let keys: [ConfigurationKey]
    /// The review of their values.
    package let review: Review

    /// Creates the keys of a feature.
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
    /// What the features of the daemon add.
    let features: [FeatureKeys]
    /// The keys that the daemon's author adds, or nil.
    package let own: OwnKeys?
    /// Whether keys of features that the program does not have are skipped, and no error.
    let skipsOtherFeatures: Bool
    /// The keys of the configuration, in the order of the shipped example.
    let configurationKeys: [ConfigurationKey]

    private init(
        checked name: String,
        features: [FeatureKeys] = [],
        own: OwnKeys? = nil,
        skipsOtherFeatures: Bool = false
    ) {
        self.name = name
        self.features = features
        self.own = own
        self.skipsOtherFeatures = skipsOtherFeatures
        configurationKeys = Self.keys(features, own)
    }

    /// Creates the program of a name; returns nil if the name is not valid.
    ///
    /// - Parameters:
    ///   - name: the name.
    ///   - features: what the features of the daemon add.
    ///   - own: the keys that the daemon's author adds.
    package init?(name: String, features: [FeatureKeys] = [], own: OwnKeys? = nil) {
        let isName = name.utf8.enumerated().allSatisfy { offset, byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"): true
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"): offset > 0
            default: false
            }
        }
        guard isName, 1...32 ~= name.utf8.count else { return nil }
        self.init(checked: name, features: features, own: own)
    }

    /// The path of the socket below the directory for runtime files, such as `/run`.
    package var socketPath: String { "\(name)/\(name).sock" }
    /// The path of the configuration file below the directory for configuration, such as `/etc`.
    package var configurationPath: String { "\(name)/\(name).yaml" }

    /// Returns the keys of every daemon, then those of the features, each of which follows the others of its section.
    private static func keys(_ features: [FeatureKeys], _ own: OwnKeys?) -> [ConfigurationKey] {
        var names: Set<String> = []
        var places: [Substring: Int] = [:]
        var sections: [[ConfigurationKey]] = []
        // Two features may need the same key.
        for key in ConfigurationKey.core + features.flatMap(\.keys) where names.insert(key.name).inserted {
            if let place = places[key.section] {
                sections[place].append(key)
            } else {
                places[key.section] = sections.count
                sections.append([key])
            }
        }
        return sections.flatMap(\.self) + (own?.keys.map(\.key) ?? [])
    }
}
