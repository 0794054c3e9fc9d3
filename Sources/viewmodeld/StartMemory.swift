#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Memory that the start needs, and that only the start has needed.
enum StartMemory {
    /// Has the kernel map all of the program's variables that begin as zero, before there are threads.
    ///
    /// The start uses nearly half of those pages, and reads most of them before it writes. One after the other, that is two
    /// faults for each, the second of which interrupts the other processors. A kernel before 5.14 cannot do it at once
    /// (madvise(2), `MADV_POPULATE_WRITE`), and goes on as ever.
    static func mapVariables() {
        #if canImport(Glibc)
            forEachMapping { mapping in
                // The first memory that comes from no file: the program is below its libraries, and its heap behind it.
                guard !mapping.hasFile else { return true }
                advise(mapping.range, MADV_POPULATE_WRITE)
                return false
            }
        #endif
    }

    /// Gives back the pages of code, the program's own and that of its libraries: when a first client that has waited for the
    /// start has been served, and once more when one may have been that came a little later.
    ///
    /// The start walks over most of the program, because Swift looks through all conformances there are, and so does the
    /// first use of a type; what runs later needs a fifth of those pages. They are unchanged parts of files, which the kernel
    /// maps again when they are used.
    static func giveBackSoon() {
        Task {
            for delay in [Duration.milliseconds(30), .seconds(1)] {
                try? await Task.sleep(for: delay)
                giveBack()
            }
        }
    }

    private static func giveBack() {
        var code: [Range<UInt>] = []
        forEachMapping { mapping in
            // Executable, not writable, and so never other than its file.
            if mapping.hasFile, mapping.permissions.elementsEqual("r-xp".utf8) { code.append(mapping.range) }
            return true
        }
        for range in code { advise(range, MADV_DONTNEED) }
    }

    private static func advise(_ range: Range<UInt>, _ advice: Int32) {
        madvise(UnsafeMutableRawPointer(bitPattern: range.lowerBound), range.count, advice)
    }

    /// A part of the process's memory.
    private struct Mapping {
        let range: Range<UInt>
        let permissions: Substring.UTF8View
        let hasFile: Bool
    }

    /// Goes through the process's memory, from the lowest address on, until `body` says that it is enough.
    private static func forEachMapping(_ body: (Mapping) -> Bool) {
        guard let file = fopen("/proc/self/maps", "r") else { return }
        defer { fclose(file) }
        var line: UnsafeMutablePointer<CChar>?
        var capacity = 0
        defer { free(line) }
        while getline(&line, &capacity, file) > 0, let text = line.map({ String(cString: $0) }) {
            // Address, permissions, offset, device, inode (0: no file), path: proc(5).
            let fields = Substring(text).utf8.split(separator: UInt8(ascii: " "))
            guard fields.count >= 5 else { continue }
            let bounds = fields[0].split(separator: UInt8(ascii: "-")).compactMap { UInt(Substring($0), radix: 16) }
            guard bounds.count == 2 else { continue }
            let mapping = Mapping(
                range: bounds[0]..<bounds[1],
                permissions: fields[1],
                hasFile: !fields[4].elementsEqual("0".utf8)
            )
            guard body(mapping) else { return }
        }
    }
}
