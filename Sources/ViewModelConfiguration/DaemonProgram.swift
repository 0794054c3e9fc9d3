/// The program of a daemon: its name, from which the names of its files, directories and variables derive, and its keys.
package struct DaemonProgram: Sendable {
    /// The daemon that ships with this package.
    package static let viewmodeld = DaemonProgram(checked: "viewmodeld", hasLab: true)

    /// The name: a lower-case letter, then lower-case letters, digits, `-` and `_`; at most 32 characters.
    package let name: String
    /// Whether the daemon has the key `lab`.
    private let hasLab: Bool
    /// The keys that the daemon's author adds, or nil.
    package let own: OwnKeys?

    private init(checked name: String, hasLab: Bool, own: OwnKeys? = nil) {
        self.name = name
        self.hasLab = hasLab
        self.own = own
    }

    /// Creates the program of a name; returns nil if the name is not valid.
    ///
    /// - Parameters:
    ///   - name: the name.
    ///   - hasLab: whether the daemon has the key `lab`.
    ///   - own: the keys that the daemon's author adds.
    package init?(name: String, hasLab: Bool = false, own: OwnKeys? = nil) {
        let isName = name.utf8.enumerated().allSatisfy { offset, byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"): true
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"): offset > 0
            default: false
            }
        }
        guard isName, 1...32 ~= name.utf8.count else { return nil }
        self.init(checked: name, hasLab: hasLab, own: own)
    }

    /// The path of the socket below the directory for runtime files, such as `/run`.
    package var socketPath: String { "\(name)/\(name).sock" }
    /// The path of the configuration file below the directory for configuration, such as `/etc`.
    package var configurationPath: String { "\(name)/\(name).yaml" }

    /// The keys of the configuration, in the order of the shipped example.
    var keys: [ConfigurationKey] {
        ConfigurationKey.all.filter { hasLab || $0.name != "lab" } + (own?.keys.map(\.key) ?? [])
    }
}
