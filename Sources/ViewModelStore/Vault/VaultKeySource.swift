import Logging

/// The source of the vault's key.
struct VaultKeySource: Sendable {
    enum Origin: String, Sendable {
        /// A file that the configuration names.
        case configured
        /// A systemd credential, which cannot be replaced.
        case credential
        /// A file in the state directory, created when it is first needed.
        case own
    }

    let origin: Origin
    let path: String
    /// Whether systemd created the file and protects it with an access list.
    private let isCredential: Bool
    private let logger: Logger

    /// Selects the configured file, else the credential, else the file in the state directory.
    init(_ configuration: StateStoreConfiguration, logger: Logger) {
        self.logger = logger
        if let file = configuration.keyFile {
            (origin, path) = (.configured, KeyFile.resolved(file))
        } else if let directory = configuration.credentialsDirectory,
            case let file = "\(directory)/viewmodeld.key", KeyFile.exists(file)
        {
            (origin, path) = (.credential, file)
        } else {
            (origin, path) = (.own, "\(configuration.directory)/vault.key")
        }
        let credentials = configuration.credentialsDirectory.map { KeyFile.resolved($0) + "/" }
        isCredential = origin == .credential || credentials.map(path.hasPrefix) ?? false
    }

    /// The path of the next key during a rotation.
    var nextPath: String { "\(path).new" }

    /// Reads the key, completes an interrupted rotation, and creates a key if it is needed.
    ///
    /// No file is made for a vault that another key encrypted: the new key would open nothing. The keyring then has a key that
    /// is in memory only.
    ///
    /// - Parameter used: the ids of the keys that the vault's rows were encrypted with.
    func load(used: Set<String>) throws(StoreError) -> Keyring {
        guard origin != .credential else { return Keyring(current: try read()) }
        try settleRotation(used)
        if origin == .own, !KeyFile.exists(path) {
            guard used.isEmpty else { return Keyring(unsaved: VaultKey.random()) }
            try save(VaultKey.random())
        }
        return Keyring(current: try read())
    }

    /// Makes the file of the vault's own key.
    func save(_ key: VaultKey) throws(StoreError) {
        try KeyFile.make(key, at: path, by: nextPath)
    }

    /// Brings a rotation to its end that was interrupted: `vault.key.new` takes its place, or is removed.
    ///
    /// The file is removed only if no row needs it, because it may be the only copy of the key in use.
    ///
    /// - Throws: `StoreError.Kind.unusableKey` if the file cannot be read and may be needed.
    private func settleRotation(_ used: Set<String>) throws(StoreError) {
        guard KeyFile.exists(nextPath) else { return }
        switch Result(catching: { () throws(StoreError) in try KeyFile.read(nextPath) }) {
        case .success(let next) where used.contains(next.id):
            // The rows were committed, and the process died before it renamed the key.
            try KeyFile.move(nextPath, to: path)
        case .success:
            KeyFile.remove(nextPath)
        case .failure where KeyFile.isFragment(nextPath):
            // The process died while it wrote the file. Rows are written after the key, so no row needs it.
            KeyFile.remove(nextPath)
        case .failure(let error):
            guard let current = try? read(), used.isSubset(of: [current.id]) else { throw error }
            logger.warning(
                "A key of an interrupted rotation cannot be read and is kept; no token needs it",
                metadata: ["file": "\(nextPath)", "error": "\(error)"]
            )
        }
    }

    private func read() throws(StoreError) -> VaultKey {
        try KeyFile.read(path, isCredential: isCredential)
    }
}
