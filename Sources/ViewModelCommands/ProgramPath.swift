import Foundation

/// The search for a program.
enum ProgramPath {
    /// Returns the path of a program.
    ///
    /// The folder of this program precedes those of PATH.
    ///
    /// - Parameter name: the name of its file.
    /// - Returns: the path, or nil if no folder has an executable file of this name.
    static func find(_ name: String) -> String? {
        let own = URL(fileURLWithPath: Bundle.main.executablePath ?? CommandLine.arguments[0])
        let beside = own.resolvingSymlinksInPath().deletingLastPathComponent().path
        let folders = (ProcessEnvironment.current["PATH"] ?? "").split(separator: ":").map(String.init)
        return ([beside] + folders).map { "\($0)/\(name)" }.first(where: FileManager.default.isExecutableFile)
    }
}
