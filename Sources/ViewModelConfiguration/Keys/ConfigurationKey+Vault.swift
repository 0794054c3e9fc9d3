package struct VaultSettings: ConfigurationSection {
    /// The path of the key.
    ///
    /// Nil selects the systemd credential, else the file in the state directory.
    package var keyFile: String?

    package init() {}
}

extension DaemonConfiguration {
    /// The keys of `vault`, of the features that need the vault's key.
    package var vault: VaultSettings {
        get { self[VaultSettings.self] }
        set { self[VaultSettings.self] = newValue }
    }
}

extension ConfigurationKey {
    package static let vault = [
        ConfigurationKey(
            "vault.keyFile",
            \.vault.keyFile,
            .optional(.absolutePath(isEchoed: false)),
            isLive: false,
            """
            The file with the vault key, which encrypts saved tokens: 32 bytes in base64. The default is the systemd \
            credential viewmodeld.key, else vault.key in the state directory. The daemon creates vault.key at its \
            first start.
            """
        )
    ]
}
