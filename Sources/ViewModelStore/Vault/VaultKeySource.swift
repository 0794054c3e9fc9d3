/// Where the vault's key comes from.
struct VaultKeySource: Sendable {
    enum Origin: Sendable {
        /// A file that the configuration names.
        case configured
        /// A systemd credential, which cannot be written.
        case credential
        /// A file of the state directory, made where it is needed.
        case own
    }

    let origin: Origin
    let path: String

    /// The configured file, else a credential, else a file of its own.
    init(_ configuration: StateStoreConfiguration) {
        if let file = configuration.keyFile {
            (origin, path) = (.configured, KeyFile.resolved(file))
        } else if let directory = configuration.credentialsDirectory,
            case let file = "\(directory)/viewmodeld.key", KeyFile.exists(file)
        {
            (origin, path) = (.credential, file)
        } else {
            (origin, path) = (.own, "\(configuration.directory)/vault.key")
        }
    }

    /// Where the next key waits while a rotation is under way.
    var nextPath: String { "\(path).new" }

    /// Reads the key, brings an interrupted rotation to its end, and makes a key where it is needed; blocks.
    ///
    /// - Parameter used: the ids of the keys that the vault's rows were encrypted with.
    func load(used: Set<String>) throws(StoreError) -> Keyring {
        guard origin != .credential else { return Keyring(current: try KeyFile.read(path, isCredential: true)) }
        if let next = try? KeyFile.read(nextPath), used.contains(next.id) {
            // The rows were committed, and the process died before the key took its place.
            try KeyFile.move(nextPath, to: path)
        } else {
            KeyFile.remove(nextPath)
        }
        if origin == .own, !KeyFile.exists(path) {
            try KeyFile.make(VaultKey.random(), at: path, by: nextPath)
        }
        return Keyring(current: try KeyFile.read(path))
    }
}
