#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Memory that only the start has needed.
enum StartMemory {
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
        for range in codeRanges() {
            madvise(UnsafeMutableRawPointer(bitPattern: range.lowerBound), Int(range.count), MADV_DONTNEED)
        }
    }

    /// Where code is mapped: executable, not writable, and so never other than its file.
    private static func codeRanges() -> [Range<UInt>] {
        guard let file = fopen("/proc/self/maps", "r") else { return [] }
        defer { fclose(file) }
        var line: UnsafeMutablePointer<CChar>?
        var capacity = 0
        defer { free(line) }
        var ranges: [Range<UInt>] = []
        while getline(&line, &capacity, file) > 0, let text = line.map({ String(cString: $0) }) {
            // Address, permissions, offset, device, inode (0: no file), path: proc(5).
            let fields = text.utf8.split(separator: UInt8(ascii: " "))
            guard fields.count >= 5, fields[1].elementsEqual("r-xp".utf8), !fields[4].elementsEqual("0".utf8) else {
                continue
            }
            let bounds = fields[0].split(separator: UInt8(ascii: "-")).compactMap { UInt(Substring($0), radix: 16) }
            if bounds.count == 2 { ranges.append(bounds[0]..<bounds[1]) }
        }
        return ranges
    }
}
