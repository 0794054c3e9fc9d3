package import Logging
import UnixIO
import ViewModelHost

/// The source of the vault's key.
package struct VaultKeySource: Sendable {
    /// The origin of a key.
    package enum Origin: String, Sendable {
        /// The file of `vault.keyFile`.
        case configured
        /// A systemd credential, which cannot be replaced.
        case credential
        /// A file in the state directory, created when it is first needed.
        case own
    }

    package let origin: Origin
    package let path: String
    package let program: String
    /// Whether systemd created the file and protects it with an access list.
    private let isCredential: Bool
    private let logger: Logger

    /// Selects the configured file, else the credential, else the file in the state directory.
    ///
    /// The call blocks.
    package init(
        program: String,
        keyFile: String?,
        credentialsDirectory: String?,
        directory: String,
        logger: Logger
    ) {
        self.logger = logger
        self.program = program
        if let keyFile {
            (origin, path) = (.configured, Paths.resolved(keyFile) ?? keyFile)
        } else if let credentialsDirectory, case let file = "\(credentialsDirectory)/\(program).key",
            KeyFile.exists(file)
        {
            (origin, path) = (.credential, file)
        } else {
            (origin, path) = (.own, "\(directory)/vault.key")
        }
        isCredential = origin == .credential || SecretFile.isCredential(path, in: credentialsDirectory)
    }

    /// The path of the next key during a rotation.
    package var nextPath: String { "\(path).new" }

    /// Reads the key, completes an interrupted rotation, and creates a key if it is needed.
    ///
    /// If another key encrypted the vault, no file is created, because a new key would decrypt no row. The key ring
    /// then has a key that exists only in memory. The call blocks.
    ///
    /// - Throws: `StoreError.Kind.unusableKey` if a key cannot be read or written; `StoreError.Kind.diskFull`.
    func load(used: Set<String>) throws(StoreError) -> Keyring {
        guard origin != .credential else { return Keyring(try read()) }
        try finishInterruptedRotation(used)
        if origin == .own, !KeyFile.exists(path) {
            guard used.isEmpty else { return Keyring(.random(), isSaved: false) }
            try save(VaultKey.random())
        }
        return Keyring(try read())
    }

    /// Returns the id of the key that a start would use, or nil if the key cannot be read.
    package func presentKeyID() -> String? {
        (try? read())?.id
    }

    /// Creates the key file in the state directory.
    func save(_ key: VaultKey) throws(StoreError) {
        try KeyFile.make(key, at: path, by: nextPath)
    }

    /// Completes an interrupted rotation: renames `vault.key.new` to `vault.key`, or removes it.
    ///
    /// The file is removed only if no row needs it, because it may be the only copy of the key in use.
    ///
    /// - Throws: `StoreError.Kind.unusableKey` if the file cannot be read and may be needed.
    package func finishInterruptedRotation(_ used: Set<String>) throws(StoreError) {
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
        do {
            return try KeyFile.read(path, isCredential: isCredential)
        } catch {
            guard origin == .configured else { throw error }
            throw error.adding("The key vault.keyFile names this file")
        }
    }
}
