import Foundation

extension Measurements {
    /// The size of a program without its symbols.
    static func binarySize(of program: String) throws -> Figure {
        let stripped = FileManager.default.temporaryDirectory.path + "/viewmodeld-bench-\(UUID().uuidString.prefix(8))"
        defer { try? FileManager.default.removeItem(atPath: stripped) }
        let strip = Process()
        strip.executableURL = URL(fileURLWithPath: "/usr/bin/strip")
        strip.arguments = ["-o", stripped, program]
        try strip.run()
        strip.waitUntilExit()
        let bytes = try Data(contentsOf: URL(fileURLWithPath: stripped))
        let isDynamic = bytes.range(of: Data("libswiftCore.so".utf8)) != nil
        let library = isDynamic ? "not static: without the Swift library" : "with the Swift library"
        var figure = Figure("the daemon's program, stripped, \(library)", unit: "MB", .atMost(20))
        figure.add(Double(bytes.count) / 1e6)
        return figure
    }
}
