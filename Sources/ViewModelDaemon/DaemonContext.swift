import JSONRPC
public import Logging
public import ServiceLifecycle
import Synchronization
package import ViewModelConfiguration

/// What a daemon offers to its ViewModels, while they are registered.
public struct DaemonContext: Sendable {
    /// The daemon's log.
    public let logger: Logger
    /// The path of the state directory, which exists, has the mode 0700 and belongs to this daemon alone.
    ///
    /// The daemon's own files in it are called `viewmodeld.sqlite…`, `vault.key…` and `lock`. A byte of the path that is not
    /// UTF-8 is U+FFFD, followed by U+0000 and the scalar with the value of the byte.
    public let stateDirectory: String
    package let configuration: DaemonConfiguration
    let services = ServiceList()

    /// Runs a service beside the server.
    ///
    /// It starts with the server and stops after it. If it ends or throws before, the daemon stops.
    ///
    /// - Parameter service: runs until its graceful shutdown.
    public func run(_ service: any Service) {
        services.add(service)
    }
}

/// The services that a daemon's author adds.
final class ServiceList: Sendable {
    private let services = Mutex<[any Service]>([])

    var all: [any Service] { services.withLock { $0 } }

    func add(_ service: any Service) {
        services.withLock { $0.append(service) }
    }
}
