import Foundation
import Glibc
import NIOCore
import NIOSSL
import Systemd
import UnixIO
import ViewModelConfiguration
import ViewModelServer

/// The sockets on which a gateway listens: the control socket, and one for browsers or for a reverse proxy.
///
/// The paths of those that the gateway has created exist from ``listen()`` on.
struct GatewaySockets: Sendable {
    let control: ListeningSocket
    let clients: ListeningSocket
    /// The IP address and the port of the socket for clients, or nil for a Unix-domain socket.
    let tcp: (address: String, port: Int)?
    let tls: NIOSSLContext?
    /// Whether other processes can take the port at the end of this one.
    let freesPort: Bool

    /// Creates the sockets that systemd did not pass.
    ///
    /// - Throws: `SocketError`, or ``GatewayExit`` for a socket that other machines can reach without TLS.
    init(
        _ configuration: DaemonConfiguration.Gateway,
        directory: String,
        inherited: [InheritedSocket]
    ) throws {
        let controlPath = directory + "/\(ViewModelGateway.name).sock"
        tls = try configuration.tls.makeContext()
        let passedControl = inherited.first { LocalAddress(of: $0.descriptor)?.path == controlPath }
        control =
            try passedControl.map { ListeningSocket(adopting: $0.descriptor) }
            ?? ListeningSocket(SocketOptions(path: controlPath, option: "--runtime-directory"))
        let passed = inherited.filter { $0 != passedControl }
        guard passed.count <= 1 else {
            throw GatewayExit("the service manager passed \(passed.count) sockets for clients; the gateway has one")
        }
        if let socket = passed.first {
            clients = ListeningSocket(adopting: socket.descriptor)
        } else if let path = configuration.listen.path {
            let options = SocketOptions(
                path: path,
                mode: configuration.mode.bits,
                group: configuration.group?.id,
                option: "gateway.listen or --listen"
            )
            clients = try ListeningSocket(options)
        } else if configuration.listen == DaemonConfiguration.Gateway().listen, configuration.hosts.rawValue.isEmpty {
            // The units have no port for some users. These must not meet others at the standard port.
            let standard = passedControl == nil ? configuration.listen : nil
            clients = ListeningSocket(adopting: try Self.bind(standard, recordedIn: directory + "/port"))
        } else {
            clients = ListeningSocket(adopting: try Self.bind(configuration.listen))
        }
        freesPort = passed.isEmpty && configuration.listen.path == nil
        let address = Self.address(of: clients.descriptor)
        tcp = address.flatMap { address in
            address.ipAddress.flatMap { ip in address.port.map { (ip, $0) } }
        }
        guard tcp == nil || tls != nil || address?.isLoopback ?? false else {
            throw GatewayExit("other machines can reach the socket of the service manager; configure gateway.tls")
        }
    }

    /// Lets clients connect to the Unix-domain sockets that the gateway has created.
    func listen() throws(SocketError) {
        try control.listen()
        try clients.listen()
    }

    func remove() {
        control.remove()
        clients.remove()
    }

    /// Binds a socket to the port in a file, else to the standard one, else to any free port, and records its port.
    ///
    /// The file is in the runtime directory, so that the page keeps its address while the person is logged in. A failure to
    /// write it costs the page its address at the next start only.
    private static func bind(_ standard: ListenAddress?, recordedIn file: String) throws(GatewayExit) -> Int32 {
        let recorded = (try? FileText.read(file, atMost: 16)).flatMap { ListenAddress(rawValue: "127.0.0.1:\($0)") }
        var bound: Int32?
        for address in [recorded, standard].compactMap(\.self) where bound == nil { bound = try? bind(address) }
        let descriptor = if let bound { bound } else { try bind(ListenAddress(host: "127.0.0.1", port: 0)) }
        let record = open(file.cPath, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0o600)
        if record >= 0 {
            let port = Array("\(address(of: descriptor)?.port ?? 0)".utf8)
            write(record, port, port.count)
            close(record)
        }
        return descriptor
    }

    private static func bind(_ listen: ListenAddress) throws(GatewayExit) -> Int32 {
        let remedy = "choose another address with gateway.listen or --listen"
        let address: SocketAddress
        do {
            address = try SocketAddress.makeAddressResolvingHost(listen.host ?? "127.0.0.1", port: listen.port)
        } catch {
            throw GatewayExit("\(listen) cannot be listened on: the host has no address; \(remedy)")
        }
        let family = address.protocol == .inet6 ? AF_INET6 : AF_INET
        let descriptor = socket(family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var isReused: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &isReused, socklen_t(MemoryLayout<Int32>.size))
        let result = address.withSockAddr { Glibc.bind(descriptor, $0, socklen_t($1)) }
        // A second gateway could also bind the port, until one of them listens.
        guard descriptor >= 0, result == 0, (try? GatewayServer.lengthenQueue(of: descriptor)) != nil else {
            let reason = SystemError.last
            if descriptor >= 0 { close(descriptor) }
            throw GatewayExit("\(listen) cannot be listened on: \(reason); \(remedy)")
        }
        return descriptor
    }

    private static func address(of descriptor: Int32) -> SocketAddress? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &storage) { storage in
            storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                guard getsockname(descriptor, address, &length) == 0 else { return nil }
                switch Int32(address.pointee.sa_family) {
                case AF_INET:
                    return address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { SocketAddress($0.pointee) }
                case AF_INET6:
                    return address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { SocketAddress($0.pointee) }
                default: return nil
                }
            }
        }
    }
}

extension DaemonConfiguration.Gateway.TLS {
    /// Returns the context of TLS, or nil without a certificate.
    fileprivate func makeContext() throws -> NIOSSLContext? {
        guard let certificateFile = certificateFile?.rawValue, let keyFile = keyFile?.rawValue else { return nil }
        do {
            let chain = try Self.read(certificateFile, NIOSSLCertificate.fromPEMBytes)
            let key = try Self.read(keyFile, isSecret: true) { try NIOSSLPrivateKey(bytes: $0, format: .pem) }
            var context = TLSConfiguration.makeServerConfiguration(
                certificateChain: chain.map { .certificate($0) },
                privateKey: .privateKey(key)
            )
            context.minimumTLSVersion = .tlsv12
            return try NIOSSLContext(configuration: context)
        } catch let exit as GatewayExit {
            throw exit
        } catch {
            throw GatewayExit("the key in \(keyFile) does not belong to the certificate in \(certificateFile)")
        }
    }

    /// Reads a file in PEM.
    ///
    /// - Throws: ``GatewayExit`` that names the file, also for a secret that others can read.
    private static func read<Content>(
        _ path: String,
        isSecret: Bool = false,
        _ parse: ([UInt8]) throws -> Content
    ) throws(GatewayExit) -> Content {
        let descriptor = open(path.cPath, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0, let status = stat(of: descriptor) else {
            throw GatewayExit("\(path) cannot be read: \(SystemError.last)")
        }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        // Keys of Debian belong to the group ssl-cert.
        if isSecret, status.st_mode & 0o007 != 0 {
            throw GatewayExit("all users can read the key in \(path); change its mode (chmod o= \(path))")
        }
        do {
            return try parse(Array(try file.readToEnd() ?? Data()))
        } catch {
            throw GatewayExit(
                isSecret
                    ? "\(path) has no private key in PEM that can be read without a passphrase"
                    : "\(path) has no certificate in PEM"
            )
        }
    }
}
