public import Accounts
import JSONRPC
public import Logging
public import ServiceLifecycle
import Synchronization

/// What a daemon offers to its ViewModels, while they are registered.
public struct DaemonContext: Sendable {
    /// The daemon's log.
    public let logger: Logger
    /// The path of the state directory, which exists, has the mode 0700 and belongs to this daemon alone.
    ///
    /// The daemon's own files in it are called `viewmodeld.sqlite…`, `vault.key…` and `lock`. A byte of the path that is not
    /// UTF-8 is U+FFFD, followed by U+0000 and the scalar with the value of the byte.
    public let stateDirectory: String
    /// The accounts of the users, as the section `account` of the configuration has them.
    ///
    /// A ViewModel uses them as a `SessionAccount`, after `catalog.provide(daemon.accounts)`.
    public let accounts: AccountService
    /// The messages of the users that wait for their delivery.
    ///
    /// A ViewModel uses them as a `SessionOutbox`, after `catalog.provide(daemon.outbox)`.
    public let outbox: OutboxService
    /// Whether the configuration asks for the ViewModel `lab`.
    package let hasLab: Bool
    /// The values of the keys that the daemon's author adds, by their names.
    let ownValues: JSONObject
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
