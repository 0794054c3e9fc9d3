import Foundation

extension Measurements {
    /// Returns the size of a program without its symbols.
    static func binarySize(of program: String) throws -> Figure {
        let stripped = try StrippedProgram(program)
        defer { stripped.remove() }
        let bytes = try Data(contentsOf: URL(fileURLWithPath: stripped.path))
        let isDynamic = bytes.range(of: Data("libswiftCore.so".utf8)) != nil
        let library = isDynamic ? "not static: without the Swift library" : "with the Swift library"
        var figure = Figure("the daemon's program, stripped, \(library)", unit: "MB", .none)
        figure.add(Double(bytes.count) / 1e6)
        return figure
    }
}
