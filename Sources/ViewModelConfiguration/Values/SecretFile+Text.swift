import UnixIO
import ViewModelHost

extension SecretFile {
    /// The largest size of a file with a secret in bytes.
    private static var longestText: Int { 4096 }

    /// Reads a secret without trailing white space, such as the line feed that editors append.
    ///
    /// - Parameters:
    ///   - path: the path of the file.
    ///   - key: the key of the configuration that names the file.
    ///   - credentials: the directory of systemd's credentials, or nil without them.
    /// - Returns: the secret.
    /// - Throws: ``ConfigurationError`` if the secret cannot be read, or others can read it.
    package static func text(
        in path: String,
        of key: String,
        credentials: String? = ProcessText.variables["CREDENTIALS_DIRECTORY"]
    ) throws(ConfigurationError) -> String {
        do throws(SecretFile.Problem) {
            let isCredential = SecretFile.isCredential(path, in: credentials)
            let content = try SecretFile.read(path, atMost: longestText, isCredential: isCredential)
            let text = String(decoding: content, as: UTF8.self)
            let secret = String(text.reversed().drop(while: \.isWhitespace).reversed())
            guard !secret.isEmpty, content.count <= longestText else {
                let expected = "a secret of at most \(longestText) bytes"
                throw SecretFile.Problem(description: "does not contain \(expected). Write it into the file")
            }
            return secret
        } catch {
            throw ConfigurationError(problems: [.init(location: .init(source: key), message: "\(path) \(error)")])
        }
    }
}
