import Foundation
import UnixIO

enum ProgramPath {
    /// The path of this program, without links.
    ///
    /// Foundation crashes on Linux if a folder of the program has a name that is not UTF-8, so it comes last.
    static var own: String {
        Paths.resolved("/proc/self/exe") ?? Bundle.main.executablePath.flatMap(Paths.resolved)
            ?? ProcessText.arguments[0]
    }

    /// Returns the path of a program.
    ///
    /// The folder of this program precedes those of PATH.
    static func find(_ name: String) -> String? {
        let beside = own.lastIndex(of: "/").map { String(own[..<$0]) } ?? "."
        let folders = (ProcessText.variables["PATH"] ?? "").split(separator: ":").map(String.init)
        return ([beside] + folders).map { "\($0)/\(name)" }.first { access($0.cPath, X_OK) == 0 }
    }
}
