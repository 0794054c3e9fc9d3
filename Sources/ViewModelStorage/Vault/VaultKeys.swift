package import Synchronization

/// The keys of the tokens in a store's vault.
///
/// Isolation: used from anywhere.
package final class VaultKeys: Sendable {
    package let source: VaultKeySource
    package let ring: Mutex<Keyring>
    /// The path of the file, or the address of the database without a password, that has the tokens.
    private let vault: String
    /// Held while a key is written to its file.
    private let saving = Mutex(())

    /// Loads the key for tokens that a file or a database has, which errors name.
    ///
    /// The call blocks. Tokens may need other keys (``missing(_:)``). With nil for `used`, nothing is encrypted, and no file is
    /// read or written.
    ///
    /// - Throws: `StoreError.Kind.unusableKey` if a key cannot be read or written; `StoreError.Kind.diskFull`.
    package init(_ source: VaultKeySource, used: [VaultKeyRecord]?, in vault: String) throws(StoreError) {
        let ring =
            if let used { try source.load(used: Set(used.map(\.id))) } else { Keyring(.random(), isSaved: false) }
        self.ring = Mutex(ring)
        self.source = source
        self.vault = vault
    }

    /// The id and the origin of the current key.
    ///
    /// The id reveals nothing about the key itself.
    package var current: VaultKeyRecord {
        VaultKeyRecord(id: ring.withLock { $0.current.id }, origin: source.origin)
    }

    /// Returns the record of the current key if all tokens need this key and its origin is recorded otherwise; else nil.
    ///
    /// An older version has recorded no origin, or the key was moved.
    package func moved(_ used: [VaultKeyRecord]) -> VaultKeyRecord? {
        used.map(\.id) == [current.id] && used != [current] ? current : nil
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
            ring.withLock { $0.isSaved = true }
        }
    }
}

extension VaultKeys {
    /// Returns the keys that tokens need and the key ring lacks.
    package func missing(_ keys: [VaultKeyRecord]) -> [VaultKeyRecord] {
        keys.filter { key in ring.withLock { $0[key.id] == nil } }
    }

    /// Returns the error for tokens whose key is missing, which names where the key belongs and the remedy.
    package func wrongKeyError(_ keys: [VaultKeyRecord], isOfCommand: Bool = false) -> StoreError {
        if let error = absentKeyError(keys, isOfCommand: isOfCommand) { return error }
        let isThere = ring.withLock { $0.isSaved }
        let fault =
            isThere
            ? """
            is not the key that the vault in \(vault) was encrypted with. Put the former key back, or pass it to \
            `\(source.program) vault adopt`
            """
            : "is missing, and the vault in \(vault) was encrypted with a key. Put the key back"
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
            let subject: String
            let remedy: String
            switch origin {
            case .own: continue
            case .credential:
                subject = "the systemd credential \(source.program).key"
                remedy =
                    isOfCommand
                    ? """
                    Run the command with it: systemd-run --pipe --wait -p User=\(source.program) -p \
                    LoadCredentialEncrypted=\(source.program).key \(source.program) vault … --state-directory \
                    DIRECTORY, or with CREDENTIALS_DIRECTORY
                    """
                    : "Pass it to the daemon again, as with LoadCredentialEncrypted=\(source.program).key in its unit"
            case .configured:
                subject = "the file of vault.keyFile"
                remedy =
                    isOfCommand
                    ? "Run the command with the daemon's configuration (--config)" : "Let vault.keyFile name it again"
            }
            return StoreError(
                .wrongKey,
                subject,
                """
                has tokens that \(subject) encrypted, and this key is missing; nothing was lost. \(remedy). If the key is lost, \
                `\(source.program) vault clear --key-is-lost` deletes the tokens that it encrypted
                """
            )
        }
        return nil
    }
}
