import Dispatch

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Tells when a file was written or replaced (inotify(7)); nobody is woken up while it stays as it is.
///
/// The file need not exist, its directory must.
enum FileWatch {
    /// Runs `body` after each change until the task is cancelled; changes that come while it runs become one.
    ///
    /// Returns at once where the directory cannot be watched.
    static func follow(_ path: String, _ body: () async -> Void) async {
        let (directory, name) = parts(of: path)
        let descriptor = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
        guard descriptor >= 0 else { return }
        // An editor writes a file anew, or a new one that it then moves to the old one's place.
        guard inotify_add_watch(descriptor, directory, UInt32(IN_CLOSE_WRITE | IN_MOVED_TO)) >= 0 else {
            close(descriptor)
            return
        }
        let (changes, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let queue = DispatchQueue(label: "viewmodeld.files")
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        source.setEventHandler {
            if names(from: descriptor).contains(name) { continuation.yield() }
        }
        source.setCancelHandler { close(descriptor) }
        source.activate()
        defer { source.cancel() }
        for await _ in changes { await body() }
    }

    private static func parts(of path: String) -> (directory: String, name: String) {
        guard let slash = path.lastIndex(of: "/") else { return (".", path) }
        return (slash == path.startIndex ? "/" : String(path[..<slash]), String(path[path.index(after: slash)...]))
    }

    /// The names of the files in the events that are waiting.
    private static func names(from descriptor: Int32) -> Set<String> {
        var names: Set<String> = []
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        while case let count = read(descriptor, &buffer, buffer.count), count > 0 {
            var offset = 0
            while offset < count {
                let (name, length) = buffer.withUnsafeBytes { bytes in
                    let event = bytes.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
                    let start = offset + MemoryLayout<inotify_event>.size
                    let name = bytes[start..<start + Int(event.len)].prefix { $0 != 0 }
                    return (String(decoding: name, as: UTF8.self), MemoryLayout<inotify_event>.size + Int(event.len))
                }
                names.insert(name)
                offset += length
            }
        }
        return names
    }
}
