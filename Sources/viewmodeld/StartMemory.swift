#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Memory that only the start has needed.
enum StartMemory {
    /// Gives back the pages of the program's code.
    ///
    /// The start walks over most of the program, because Swift looks through all conformances there are; what runs later
    /// needs a fifth of those pages. They are unchanged parts of the file, which the kernel maps again when they are used.
    static func giveBack() {
        for range in codeRanges() {
            madvise(UnsafeMutableRawPointer(bitPattern: range.lowerBound), Int(range.count), MADV_DONTNEED)
        }
    }

    /// Where the program's own code is mapped: executable, not writable, and so never other than its file.
    private static func codeRanges() -> [Range<UInt>] {
        guard let file = fopen("/proc/self/maps", "r") else { return [] }
        defer { fclose(file) }
        var line: UnsafeMutablePointer<CChar>?
        var capacity = 0
        defer { free(line) }
        // The program's own mappings come first, all with one inode.
        var program: Substring?
        var ranges: [Range<UInt>] = []
        while getline(&line, &capacity, file) > 0, let text = line.map({ String(cString: $0) }) {
            let fields = text.split(separator: " ")
            guard fields.count >= 5 else { break }
            program = program ?? fields[4]
            guard fields[4] == program else { break }
            let bounds = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
            if fields[1] == "r-xp", bounds.count == 2 { ranges.append(bounds[0]..<bounds[1]) }
        }
        return ranges
    }
}
