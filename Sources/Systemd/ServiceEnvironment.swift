import Glibc
import UnixIO

/// The settings that systemd passes to a service in its environment: notify socket, listening sockets, watchdog.
///
///     let environment = ServiceEnvironment.consume()
///     let sockets = try environment.listeningSockets()
///     let notifier = environment.makeNotifier()
public struct ServiceEnvironment: Sendable {
    /// The variables that are meant for this process and not for its children.
    static let names = [
        "NOTIFY_SOCKET", "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES", "WATCHDOG_PID", "WATCHDOG_USEC",
    ]

    private let variables: [String: String]
    private let processID: Int32
    /// The number of the first passed descriptor.
    private let firstDescriptor: Int32

    init(_ variables: [String: String], processID: Int32, firstDescriptor: Int32 = 3) {
        self.variables = variables
        self.processID = processID
        self.firstDescriptor = firstDescriptor
    }

    /// Reads the variables of this process and removes them, so that child processes do not inherit them.
    ///
    /// Call this once, at the start of the program and before other threads exist. `getenv` and `unsetenv` are not
    /// thread-safe.
    public static func consume() -> ServiceEnvironment {
        var variables: [String: String] = [:]
        for name in names {
            guard let value = getenv(name) else { continue }
            variables[name] = String(systemCString: value)
            unsetenv(name)
        }
        return ServiceEnvironment(variables, processID: getpid())
    }

    /// Creates the notifier for the service manager.
    ///
    /// Without a service manager its methods have no effect.
    public func makeNotifier() -> ServiceNotifier {
        ServiceNotifier(address: variables["NOTIFY_SOCKET"])
    }

    /// The service manager's timeout between two keep-alive messages (`WatchdogSec=`), or nil without a watchdog.
    public var watchdogTimeout: Duration? {
        guard let text = variables["WATCHDOG_USEC"], let microseconds = Int64(text), microseconds > 0 else {
            return nil
        }
        if let watched = variables["WATCHDOG_PID"], Int32(watched) != processID { return nil }
        return .microseconds(microseconds)
    }

    /// Returns the listening sockets that were passed to this process, with the close-on-exec flag set.
    ///
    /// The result is empty if the variables name another process.
    ///
    /// - Parameter allowsNetwork: Whether sockets of TCP are accepted besides Unix-domain sockets.
    /// - Returns: The sockets, in the order of their descriptors.
    /// - Throws: ``InheritedSocketError`` if a descriptor is not a listening stream socket of an accepted family.
    public func listeningSockets(allowsNetwork: Bool = false) throws(InheritedSocketError) -> [InheritedSocket] {
        guard let owner = variables["LISTEN_PID"], Int32(owner) == processID, let text = variables["LISTEN_FDS"] else {
            return []
        }
        guard let count = Int32(text), case 0...Self.mostSockets = count else {
            throw InheritedSocketError("LISTEN_FDS is no number of sockets: \(text)")
        }
        let names = variables["LISTEN_FDNAMES"]?.split(separator: ":", omittingEmptySubsequences: false) ?? []
        var sockets: [InheritedSocket] = []
        for index in 0..<count {
            let name = names.indices.contains(Int(index)) ? String(names[Int(index)]) : "unknown"
            sockets.append(
                try InheritedSocket(taking: firstDescriptor + index, name: name, allowsNetwork: allowsNetwork)
            )
        }
        return sockets
    }

    /// A bound above the number of descriptors that any kernel allows.
    private static var mostSockets: Int32 { 1 << 30 }
}
