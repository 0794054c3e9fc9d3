import Foundation

/// A copy of a program without some or all of its symbols.
struct StrippedProgram {
    let path = FileManager.default.temporaryDirectory.path + "/viewmodeld-bench-\(UUID().uuidString.prefix(8))"

    /// Makes the copy with `strip` of binutils.
    init(_ program: String, of options: [String] = []) throws {
        let strip = Process()
        strip.executableURL = URL(fileURLWithPath: "/usr/bin/strip")
        strip.arguments = options + ["-o", path, program]
        try strip.run()
        strip.waitUntilExit()
        guard strip.terminationStatus == 0 else { throw BenchFailure("\(program) cannot be stripped") }
    }

    func remove() {
        try? FileManager.default.removeItem(atPath: path)
    }
}
