import Glibc
import UnixIO

/// An instance of inotify(7) that watches the directories and links on the way to some files, and the files.
struct WatchedPaths {
    /// What the events mean for the files.
    enum Change: Comparable {
        case none
        /// A file or a part of its path has appeared, has gone or has other attributes.
        case possible
        /// A file was written and closed, or a part of its path was renamed to its name.
        case written
    }

    private struct Watch {
        let path: String
        var mask: Int32
        var names: Set<String> = []
        /// Whether all entries of the directory count.
        var hasAllNames = false
    }

    /// The events of a directory or file itself.
    private static let own = IN_DELETE_SELF | IN_MOVE_SELF
    /// The events of a directory's entries.
    ///
    /// A write counts when the file is closed.
    private static let entries = IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_CLOSE_WRITE | IN_ATTRIB | own
    /// The events of a file, also by another of its names.
    private static let file = IN_CLOSE_WRITE | IN_ATTRIB | own
    /// The kernel's limit of links in one path.
    private static let mostLinks = 40
    /// The tries to watch what others remove meanwhile.
    private static let mostRounds = 10

    /// The descriptor of the instance.
    let descriptor: Int32
    private var watches: [Int32: Watch] = [:]
    /// Whether everything on the way is watched.
    private(set) var isComplete = false
    /// Whether a part of a path was gone or replaced between two calls.
    private var hasMissed = false

    init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Watches what is on the way to these files now, and nothing else.
    ///
    /// Of a directory, all entries are watched.
    mutating func watch(_ paths: [String]) {
        let former = watches
        for _ in 1...Self.mostRounds {
            watches = [:]
            isComplete = true
            hasMissed = false
            for path in paths { addAll(on: path) }
            guard hasMissed else { break }
        }
        for number in former.keys where watches[number] == nil { inotify_rm_watch(descriptor, number) }
        for watch in watches.values {
            inotify_add_watch(descriptor, watch.path.cPath, UInt32(bitPattern: watch.mask))
        }
    }

    /// Returns what events mean for the files.
    func change(by events: [Event]) -> Change {
        events.map(change).max() ?? .none
    }

    private func change(of event: Event) -> Change {
        // Events were lost.
        if event.mask & IN_Q_OVERFLOW != 0 { return .possible }
        guard let watch = watches[event.number] else { return .none }
        if event.name.isEmpty { return event.mask & IN_CLOSE_WRITE != 0 ? .written : .possible }
        guard watch.names.contains(event.name) else { return watch.hasAllNames ? .possible : .none }
        return event.mask & (IN_CLOSE_WRITE | IN_MOVED_TO) != 0 ? .written : .possible
    }

    /// Watches each directory and link on the way to a file.
    ///
    /// Directories on the way are only watched for their own removal and renaming, because others may work in them.
    private mutating func addAll(on path: String) {
        var directory = path.hasPrefix("/") ? "/" : "."
        var rest = Self.parts(of: path)
        var links = 0
        while let name = rest.popLast() {
            let entry = directory == "/" ? "/" + name : directory + "/" + name
            if !rest.isEmpty, Self.kind(of: entry) == S_IFDIR {
                add(directory, Self.own | IN_ONLYDIR)
                directory = entry
                continue
            }
            add(directory, Self.entries | IN_ONLYDIR, name: name)
            // A change from here on is an event.
            switch Self.kind(of: entry) {
            case nil: return
            case S_IFLNK:
                links += 1
                guard links <= Self.mostLinks, let target = Paths.target(ofLink: entry) else { return }
                rest += Self.parts(of: target)
                if target.hasPrefix("/") { directory = "/" }
            case S_IFDIR: directory = entry
            default:
                add(entry, Self.file)
                return
            }
        }
        add(directory, Self.entries | IN_ONLYDIR, hasAllNames: true)
    }

    private mutating func add(_ path: String, _ mask: Int32, name: String? = nil, hasAllNames: Bool = false) {
        let all = UInt32(bitPattern: mask | Int32(IN_MASK_ADD))
        let number = inotify_add_watch(descriptor, path.cPath, all)
        guard number >= 0 else {
            if errno == ENOENT || errno == ENOTDIR { hasMissed = true }
            // A directory on the way that may only be searched is changed by its owner only.
            if errno != EACCES || mask & Self.entries == Self.entries { isComplete = false }
            return
        }
        var watch = watches[number] ?? Watch(path: path, mask: mask)
        watch.mask |= mask
        if let name { watch.names.insert(name) }
        if hasAllNames { watch.hasAllNames = true }
        watches[number] = watch
    }

    /// Returns the parts of a path, the last one first.
    private static func parts(of path: String) -> [String] {
        path.split(separator: "/").reversed().map(String.init)
    }

    private static func kind(of path: String) -> mode_t? {
        stat(of: path, followsLinks: false)?.kind
    }

    struct Event {
        let number: Int32
        let mask: Int32
        let name: String
    }

    /// Returns the pending events.
    static func events(from descriptor: Int32) -> [Event] {
        var events: [Event] = []
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        while case let count = read(descriptor, &buffer, buffer.count), count > 0 {
            buffer.withUnsafeBytes { bytes in
                var offset = 0
                while offset < count {
                    let event = bytes.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
                    let start = offset + MemoryLayout<inotify_event>.size
                    let end = start + Int(event.len)
                    let name = String(systemBytes: bytes[start..<end].prefix { $0 != 0 })
                    events.append(Event(number: event.wd, mask: Int32(bitPattern: event.mask), name: name))
                    offset = end
                }
            }
        }
        return events
    }
}
