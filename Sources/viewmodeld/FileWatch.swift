import Dispatch

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A watch for writes and replacements of a file (inotify(7)).
///
/// The process does not wake up while the file stays unchanged. The file need not exist. Its directory must exist.
enum FileWatch {
    /// Runs `body` after each change until the task is cancelled.
    ///
    /// Changes during a run of `body` cause one more run. Returns at once if the directory cannot be watched.
    static func follow(_ path: String, _ body: () async -> Void) async {
        let (directory, name) = parts(of: path)
        let descriptor = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
        guard descriptor >= 0 else { return }
        // An editor either rewrites the file, or writes a new file and renames it to this name.
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

    /// Returns the file names in the pending events.
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
