import Glibc
import UnixIO
import ViewModelConfiguration

/// The port of a person's gateway for which neither a unit nor the configuration names one.
///
/// It is recorded in the runtime directory, so that the page keeps its address while the person is logged in.
struct OwnPort {
    let file: String
    /// The port to try if none is recorded, or nil.
    let standard: ListenAddress?

    /// Binds a socket to the recorded port, else to the standard one, else to any free port.
    ///
    /// `bind` throws if another process has the port.
    func bind(_ bind: (ListenAddress) throws(GatewayExit) -> Int32) throws(GatewayExit) -> Int32 {
        let recorded = (try? FileText.read(file, atMost: 16)).flatMap { ListenAddress(rawValue: "127.0.0.1:\($0)") }
        for address in [recorded, standard].compactMap(\.self) {
            if let descriptor = try? bind(address) { return descriptor }
        }
        let free = ListenAddress(host: "127.0.0.1", port: 0)
        return try bind(free)
    }

    /// Records a port.
    ///
    /// A failure costs the page its address at the next start only.
    func record(_ port: Int) {
        let descriptor = open(file.cPath, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return }
        let text = Array("\(port)".utf8)
        write(descriptor, text, text.count)
        close(descriptor)
    }
}
