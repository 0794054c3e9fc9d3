import Glibc
import UnixIO
import ViewModelHost
package import ViewModelStorage

/// The source of the database's password: a file, a systemd credential, or none.
package struct PasswordSource: Sendable {
    /// The largest size of a password's file.
    private static let limit = 4096

    private let path: String?
    /// Whether systemd created the file and protects it with an access list.
    private let isCredential: Bool

    /// Selects the configured file, else the credential `PROGRAM.store-password`, else none.
    package init(file: String? = nil, credentialsDirectory: String? = nil, program: String = "viewmodeld") {
        let credential = credentialsDirectory.map { "\($0)/\(program).store-password" }
        path = file ?? credential.flatMap { access($0.cPath, F_OK) == 0 ? $0 : nil }
        isCredential = path.map { $0 == credential || SecretFile.isCredential($0, in: credentialsDirectory) } ?? false
    }

    /// Reads the password, which ends at the first line feed; nil without a source.
    ///
    /// The call blocks.
    ///
    /// - Throws: `StoreError` of kind `misconfigured` if the file cannot be read, or others can access it.
    package func read() throws(StoreError) -> String? {
        guard let path else {
            // libpq would use it. A child process or a crash report could show it.
            guard getenv("PGPASSWORD") == nil else {
                throw StoreError(
                    .misconfigured,
                    "PGPASSWORD",
                    "is set, and is not used. Remove it, and use store.passwordFile"
                )
            }
            return nil
        }
        func wrong(_ text: String) -> StoreError {
            StoreError(.misconfigured, path, "(store.passwordFile) \(text)")
        }
        let content: [UInt8]
        do {
            content = try SecretFile.read(path, atMost: Self.limit, isCredential: isCredential)
        } catch {
            throw wrong(error.description)
        }
        let line = content.prefix { $0 != UInt8(ascii: "\n") }
        guard !line.isEmpty, line.count <= Self.limit, !line.contains(0) else {
            throw wrong("contains no password. Write it into the first line")
        }
        return String(decoding: line, as: UTF8.self)
    }
}
