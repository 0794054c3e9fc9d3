import Glibc
import Synchronization
import UnixIO
package import ViewModelKit

/// The state of the daemon's storage.
@Schemable
package struct StorageHealth: Sendable {
    /// The path of the state directory.
    package var path: String
    /// The size of the state in bytes.
    package var bytes: Int
    /// Whether the state can be written.
    package var healthy: Bool

    package init(path: String, bytes: Int, healthy: Bool) {
        self.path = path.shown
        self.bytes = bytes
        self.healthy = healthy
    }
}

/// The state of the daemon's socket.
@Schemable
package struct SocketHealth: Hashable, Sendable {
    /// The path of the socket.
    package var path: String
    /// Whether clients find the daemon at the path.
    package var healthy: Bool
    /// How often the socket's file was removed or replaced since the start.
    package var losses: Int
}

/// A saved value that the code does not read completely.
@Schemable
package struct UnreadValue: Hashable, Sendable {
    /// The type or the shared model, and the name of the value, such as `settings.nick`.
    package var value: String
    /// Why it is not read.
    package var problem: String
}

/// The daemon's health, measured at most once a second for all readers.
package final class HealthMonitor: Sendable {
    private struct Sample {
        var residentBytes = 0
        var storage: StorageHealth
        var taken: ContinuousClock.Instant?
    }

    let version: String
    private let counters: Counters
    private let storage: @Sendable () -> StorageHealth
    private let started = ContinuousClock.now
    private let sample: Mutex<Sample>
    private let socket = Mutex(SocketHealth(path: "", healthy: true, losses: 0))
    private let unreadValues = Mutex<[UnreadValue]>([])
    /// The most unread values that are shown and logged: their names come from the code, so few are real.
    private static let mostUnread = 100

    init(version: String, counters: Counters, storage: @escaping @Sendable () -> StorageHealth) {
        self.version = version
        self.counters = counters
        self.storage = storage
        sample = Mutex(Sample(storage: storage()))
    }

    /// Changes what is known of the socket.
    package func updateSocket(_ change: (inout SocketHealth) -> Void) {
        socket.withLock { change(&$0) }
    }

    /// Adds a saved value that is not read, and returns whether the first of its name was added.
    ///
    /// With `isReplacing`, the problem takes the place of another one of the name.
    func add(_ value: UnreadValue, isReplacing: Bool) -> Bool {
        unreadValues.withLock { values in
            if let index = values.firstIndex(where: { $0.value == value.value }) {
                guard isReplacing, values[index] != value else { return false }
                values[index] = value
            } else {
                guard values.count < Self.mostUnread else { return false }
                values.append(value)
            }
            return true
        }
    }

    /// Whether the state can be written now.
    var isStorageHealthy: Bool { storage().healthy }

    /// Returns the current health.
    ///
    /// Values that cost a system call are at most one second old.
    func reading(isStopping: Bool = false) -> HealthReading {
        let measured = sample.withLock { sample in
            let now = ContinuousClock.now
            if sample.taken.map({ now - $0 >= .seconds(1) }) ?? true {
                sample.taken = now
                sample.residentBytes = Self.residentBytes()
                sample.storage = storage()
            }
            return sample
        }
        return HealthReading(
            state: isStopping ? .stopping : .running,
            uptimeSeconds: Int((ContinuousClock.now - started).components.seconds),
            sessions: counters.sessions.value,
            connections: counters.connections.value,
            instances: counters.instances.value,
            residentBytes: measured.residentBytes,
            storage: measured.storage,
            socket: socket.withLock { $0 },
            unreadValues: unreadValues.withLock { $0 }
        )
    }

    /// Returns the process's resident memory from `/proc/self/statm`, or 0 if the file cannot be read.
    private static func residentBytes() -> Int {
        let file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
        defer { close(file) }
        guard let text = try? Descriptor(number: file).read(atMost: 128) else { return 0 }
        let fields = String(decoding: text, as: UTF8.self).split(separator: " ")
        guard fields.count > 1, let pages = Int(fields[1]) else { return 0 }
        return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
    }
}

/// A snapshot of the daemon's health.
struct HealthReading: Equatable {
    @Schemable
    enum State: String, CaseIterable {
        case running
        case stopping
    }

    var state: State
    var uptimeSeconds: Int
    var sessions: Int
    var connections: Int
    var instances: Int
    var residentBytes: Int
    var storage: StorageHealth
    var socket: SocketHealth
    var unreadValues: [UnreadValue]
}
