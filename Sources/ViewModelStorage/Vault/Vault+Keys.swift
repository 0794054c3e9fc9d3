import Synchronization

/// The errors for tokens whose key is missing.
extension Vault {
    /// Returns the keys that tokens need and the key ring lacks.
    func missingKeys(_ keys: [VaultKeyRecord]) -> [VaultKeyRecord] {
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
    func wrongKeyError(_ keys: [VaultKeyRecord], isOfCommand: Bool = false) -> StoreError {
        if let error = absentKeyError(keys, isOfCommand: isOfCommand) { return error }
        let isThere = ring.withLock { $0.isSaved }
        let fault =
            isThere
            ? """
            is not the key that the vault in \(records.place) was encrypted with. Put the former key back, or pass it to \
            `\(source.program) vault adopt`
            """
            : "is missing, and the vault in \(records.place) was encrypted with a key. Put the key back"
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
    func absentKeyError(_ keys: [VaultKeyRecord], isOfCommand: Bool) -> StoreError? {
        for key in missingKeys(keys) {
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
                records.place,
                """
                has tokens that \(place) encrypted, and this key is missing; nothing was lost. \(remedy). If the key is lost, \
                `\(source.program) vault clear --key-is-lost` deletes the tokens that it encrypted
                """
            )
        }
        return nil
    }
}
