package import Synchronization

/// The keys of the tokens in a store's vault.
///
/// Isolation: used from anywhere.
package final class VaultKeys: Sendable {
    /// The place of the current key.
    package let source: VaultKeySource
    /// The keys that are available.
    package let ring: Mutex<Keyring>
    /// The path of the file, or the address of the database without a password, that has the tokens.
    private let place: String
    /// Held while a key is written to its file.
    private let saving = Mutex(())

    /// Loads the key.
    ///
    /// The call blocks. Tokens may need other keys (``missing(_:)``).
    ///
    /// - Parameters:
    ///   - source: the place of the key.
    ///   - used: the keys that the tokens need.
    ///   - place: the path or the address of the tokens, for errors.
    /// - Throws: `StoreError.Kind.unusableKey` if a key cannot be read or written; `StoreError.Kind.diskFull`.
    package init(_ source: VaultKeySource, used: [VaultKeyRecord], in place: String) throws(StoreError) {
        ring = Mutex(try source.load(used: Set(used.map(\.id))))
        self.source = source
        self.place = place
    }

    /// Creates keys for a store in which nothing is encrypted.
    ///
    /// No file is read or written.
    ///
    /// - Parameters:
    ///   - source: the place that a key would have.
    ///   - place: the path or the address of the store, for errors.
    package init(unused source: VaultKeySource, in place: String) {
        ring = Mutex(Keyring(unsaved: .random()))
        self.source = source
        self.place = place
    }

    /// The id and the origin of the current key.
    ///
    /// The id reveals nothing about the key itself.
    package var current: VaultKeyRecord {
        VaultKeyRecord(id: ring.withLock { $0.current.id }, origin: source.origin)
    }

    /// Returns the id of the current key and a code of a text, which all daemons with this key can compare.
    ///
    /// Without the key, a guess of the text cannot be tested.
    package func digest(of text: [UInt8]) -> [UInt8] {
        ring.withLock { $0.current }.digest(of: text)
    }

    /// Writes a key that exists only in memory to its file.
    ///
    /// The call blocks.
    package func save() throws(StoreError) {
        try saving.withLock { _ throws(StoreError) in
            let unsaved = ring.withLock { $0.isSaved ? nil : $0.current }
            guard let unsaved else { return }
            try source.save(unsaved)
            ring.withLock { $0.markSaved() }
        }
    }
}

/// The errors for tokens whose key is missing.
extension VaultKeys {
    /// Returns the keys that tokens need and the key ring lacks.
    package func missing(_ keys: [VaultKeyRecord]) -> [VaultKeyRecord] {
        keys.filter { key in ring.withLock { $0[key.id] == nil } }
    }

    /// Returns the error for tokens whose key is missing.
    ///
    /// Its text names the key's place and the remedy.
    ///
    /// - Parameters:
    ///   - keys: the keys that the tokens need.
    ///   - isOfCommand: whether a command of the vault fails, and not the daemon.
    /// - Returns: the error.
    package func wrongKeyError(_ keys: [VaultKeyRecord], isOfCommand: Bool = false) -> StoreError {
        if let error = absentKeyError(keys, isOfCommand: isOfCommand) { return error }
        let isThere = ring.withLock { $0.isSaved }
        let fault =
            isThere
            ? """
            is not the key that the vault in \(place) was encrypted with. Put the former key back, or pass it to \
            `\(source.program) vault adopt`
            """
            : "is missing, and the vault in \(place) was encrypted with a key. Put the key back"
        return StoreError(
            .wrongKey,
            source.path,
            """
            \(fault); nothing was lost. If the key is lost, `\(source.program) vault clear` deletes the tokens that it \
            encrypted
            """
        )
    }

    /// Returns the error for tokens whose missing key has another origin than the current key; nil without such tokens.
    ///
    /// Such a key is rarely lost. Usually the daemon or the command was started without it.
    package func absentKeyError(_ keys: [VaultKeyRecord], isOfCommand: Bool) -> StoreError? {
        for key in missing(keys) {
            guard let origin = key.origin, origin != source.origin else { continue }
            let place: String
            let remedy: String
            switch origin {
            case .own: continue
            case .credential:
                place = "the systemd credential \(source.program).key"
                remedy =
                    isOfCommand
                    ? """
                    Run the command with it: systemd-run --pipe --wait -p User=\(source.program) -p \
                    LoadCredentialEncrypted=\(source.program).key \(source.program) vault … --state-directory \
                    DIRECTORY, or with CREDENTIALS_DIRECTORY
                    """
                    : "Pass it to the daemon again, as with LoadCredentialEncrypted=\(source.program).key in its unit"
            case .configured:
                place = "the file of vault.keyFile"
                remedy =
                    isOfCommand
                    ? "Run the command with the daemon's configuration (--config)" : "Let vault.keyFile name it again"
            }
            return StoreError(
                .wrongKey,
                place,
                """
                has tokens that \(place) encrypted, and this key is missing; nothing was lost. \(remedy). If the key is lost, \
                `\(source.program) vault clear --key-is-lost` deletes the tokens that it encrypted
                """
            )
        }
        return nil
    }
}
