#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// What systemd tells a service in its environment: where to notify, which sockets it passed, whether it watches.
///
///     let environment = ServiceEnvironment.take()
///     let sockets = try environment.listeningSockets()
///     let notifier = environment.makeNotifier()
public struct ServiceEnvironment: Sendable {
    /// The variables that are the service's own business, and none of its children's.
    static let names = [
        "NOTIFY_SOCKET", "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES", "WATCHDOG_PID", "WATCHDOG_USEC",
    ]

    private let variables: [String: String]
    private let processID: Int32
    /// The number of the first descriptor that is passed.
    private let firstDescriptor: Int32

    init(_ variables: [String: String], processID: Int32, firstDescriptor: Int32 = 3) {
        self.variables = variables
        self.processID = processID
        self.firstDescriptor = firstDescriptor
    }

    /// Reads the variables of this process and removes them, so that its children do not take them for theirs.
    ///
    /// To be called once, first thing in a program: the environment is no place for several threads.
    public static func consume() -> ServiceEnvironment {
        var variables: [String: String] = [:]
        for name in names {
            guard let value = getenv(name) else { continue }
            variables[name] = String(cString: value)
            unsetenv(name)
        }
        return ServiceEnvironment(variables, processID: getpid())
    }

    /// Makes the one who speaks with the service manager; where there is none, it speaks to nobody.
    public func makeNotifier() -> ServiceNotifier {
        ServiceNotifier(address: variables["NOTIFY_SOCKET"])
    }

    /// How long the service manager waits between two signs of life (`WatchdogSec=`); nil when it does not watch this
    /// process.
    public var watchdogTimeout: Duration? {
        guard let text = variables["WATCHDOG_USEC"], let microseconds = Int64(text), microseconds > 0 else {
            return nil
        }
        if let watched = variables["WATCHDOG_PID"], Int32(watched) != processID { return nil }
        return .microseconds(microseconds)
    }

    /// The listening sockets that were passed to this process, closed to its children; none when they are another's.
    ///
    /// - Throws: ``InheritedSocketError`` when one of them is no listening Unix-domain stream socket.
    public func listeningSockets() throws(InheritedSocketError) -> [InheritedSocket] {
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
            sockets.append(try InheritedSocket(taking: firstDescriptor + index, name: name))
        }
        return sockets
    }

    /// More than any kernel lets a process have open.
    private static var mostSockets: Int32 { 1 << 30 }
}
