import Glibc
import UnixIO
import ViewModelConfiguration
import ViewModelServer

/// The file with the bearer token, which only its user can read.
enum TokenFile {
    /// Returns the token of a file, and creates the file with mode 0600 if it is missing.
    ///
    /// - Throws: ``GatewayExit`` if the file cannot be used, or others can read it.
    static func token(at path: String) throws(GatewayExit) -> String {
        // O_EXCL follows no link, and the file never has another mode.
        let created = open(path.cPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if created >= 0 {
            defer { close(created) }
            let token = SecretText.make()
            let text = Array((token + "\n").utf8)
            do {
                try Descriptor(number: created).write(text)
            } catch {
                // A part of a token would stop the next start.
                unlink(path.cPath)
                throw GatewayExit("\(path) cannot be written: \((error as? OutputError)?.cause ?? .last)")
            }
            return token
        }
        guard errno == EEXIST else { throw GatewayExit("\(path) cannot be created: \(SystemError.last)") }
        guard let status = stat(of: path, followsLinks: false), status.kind == S_IFREG, status.st_uid == geteuid(),
            status.st_mode & 0o077 == 0
        else { throw GatewayExit("\(path) is not a file that only its user can read; remove it") }
        let text: String
        do {
            text = try FileText.read(path, atMost: 1024)
        } catch {
            throw GatewayExit("\(path) cannot be read: \(error.reason)")
        }
        let token = String(text.prefix { $0 != "\n" })
        guard SecretText.isValid(token) else { throw GatewayExit("\(path) has no token; remove it") }
        return token
    }
}
