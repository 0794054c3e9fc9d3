import Dispatch
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A watch for writes and replacements of a file (inotify(7)).
///
/// Neither the file nor its directory need exist. While the directory is missing, its nearest existing ancestor is
/// watched. The process wakes up only for changes in the watched directory.
package enum FileWatch {
    /// Runs `body` after each change until the task is cancelled.
    ///
    /// Changes during a run of `body` cause one more run. Returns at once if no directory can be watched.
    package static func follow(_ path: String, _ body: () async -> Void) async {
        let descriptor = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
        guard descriptor >= 0 else { return }
        var first = WatchedDirectory(of: path, descriptor: descriptor)
        guard first.watchNearest() else {
            close(descriptor)
            return
        }
        let (changes, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let directory = Mutex(first)
        let source = DispatchSource.makeReadSource(
            fileDescriptor: descriptor,
            queue: DispatchQueue(label: "viewmodeld.files")
        )
        source.setEventHandler {
            switch directory.withLock({ $0.readEvents() }) {
            case .changed: continuation.yield()
            case .unchanged: break
            case .unwatched: continuation.finish()
            }
        }
        source.setCancelHandler { close(descriptor) }
        source.activate()
        defer { source.cancel() }
        for await _ in changes { await body() }
    }
}

/// The directory that is watched for a file: the file's own, or the nearest ancestor that exists.
private struct WatchedDirectory {
    enum Outcome {
        case changed
        case unchanged
        /// No directory can be watched any more.
        case unwatched
    }

    private let path: String
    private let descriptor: Int32
    /// The inotify number of the watched directory.
    private var number: Int32 = -1
    /// The entry of the watched directory that is, or leads to, the file.
    private var entry = ""
    /// Whether the watched directory is the file's own.
    private var isOwn = false

    init(of path: String, descriptor: Int32) {
        self.path = path
        self.descriptor = descriptor
    }

    /// Watches the nearest existing directory on the way to the file.
    ///
    /// - Returns: Whether there is one that can be watched.
    mutating func watchNearest() -> Bool {
        var (directory, name) = Self.parts(of: path)
        isOwn = true
        // A removed watch may have left its number to none, so a failure here means nothing.
        if number >= 0 { inotify_rm_watch(descriptor, number) }
        while true {
            number = Self.add(directory, isOwn: isOwn, to: descriptor)
            if number >= 0 {
                entry = name
                // The next directory may have been created before its parent was watched.
                let next = directory == "/" ? "/" + name : directory + "/" + name
                guard !isOwn, Self.isDirectory(next) else { return true }
                inotify_rm_watch(descriptor, number)
                (directory, name) = Self.parts(of: path)
                isOwn = true
                continue
            }
            guard errno == ENOENT || errno == ENOTDIR, directory != "/", directory != "." else { return false }
            (directory, name) = Self.parts(of: directory)
            isOwn = false
        }
    }

    /// Reads the pending events, and watches another directory if one was created or removed on the way to the file.
    mutating func readEvents() -> Outcome {
        var hasChanged = false
        var hasMoved = false
        for event in Self.events(from: descriptor) where event.number == number {
            if event.mask & UInt32(IN_IGNORED | IN_MOVE_SELF) != 0 {
                hasMoved = true
            } else if event.name == entry {
                if isOwn { hasChanged = true } else { hasMoved = true }
            }
        }
        guard hasMoved else { return hasChanged ? .changed : .unchanged }
        guard watchNearest() else { return .unwatched }
        // The file may have been written before its directory was watched.
        return hasChanged || isOwn && access(path, F_OK) == 0 ? .changed : .unchanged
    }

    private static func add(_ directory: String, isOwn: Bool, to descriptor: Int32) -> Int32 {
        // An editor either rewrites the file, or writes a new file and renames it to this name.
        let written = isOwn ? IN_CLOSE_WRITE : IN_CREATE
        return inotify_add_watch(descriptor, directory, UInt32(written | IN_MOVED_TO | IN_MOVE_SELF | IN_ONLYDIR))
    }

    private static func isDirectory(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    private static func parts(of path: String) -> (directory: String, name: String) {
        guard let slash = path.lastIndex(of: "/") else { return (".", path) }
        return (slash == path.startIndex ? "/" : String(path[..<slash]), String(path[path.index(after: slash)...]))
    }

    /// Returns the pending events.
    private static func events(from descriptor: Int32) -> [(number: Int32, mask: UInt32, name: String)] {
        var events: [(number: Int32, mask: UInt32, name: String)] = []
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        while case let count = read(descriptor, &buffer, buffer.count), count > 0 {
            buffer.withUnsafeBytes { bytes in
                var offset = 0
                while offset < count {
                    let event = bytes.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
                    let start = offset + MemoryLayout<inotify_event>.size
                    let end = start + Int(event.len)
                    let name = String(decoding: bytes[start..<end].prefix { $0 != 0 }, as: UTF8.self)
                    events.append((event.wd, event.mask, name))
                    offset = end
                }
            }
        }
        return events
    }
}
