import ArgumentParser
import Foundation

/// The programs of the measured daemons.
enum DaemonProgram {
    /// Returns the given path, or the path of the release build in the package above this one.
    ///
    /// A missing release build is built first.
    static func path(_ given: String?, of product: String = "viewmodeld") throws -> String {
        let path = try given ?? builtPath(of: product)
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw ValidationError("\(path) is not a program. Name \(product) with an option")
        }
        return path
    }

    private static func builtPath(of product: String) throws -> String {
        guard let package = packageFolder else {
            throw ValidationError("No daemon is built above \(this). Name the program of \(product) with an option")
        }
        let path = "\(package)/.build/release/\(product)"
        if !FileManager.default.fileExists(atPath: path) { try build(product, in: package) }
        return path
    }

    /// The folder of the daemon's package, which contains the folder `Benchmarks`.
    static var packageFolder: String? {
        var folder = URL(fileURLWithPath: this).deletingLastPathComponent()
        while folder.path != "/" {
            if FileManager.default.fileExists(atPath: folder.path + "/Benchmarks/Package.swift") { return folder.path }
            folder.deleteLastPathComponent()
        }
        return nil
    }

    /// Builds the program with the options of those that ship, and does not strip it.
    private static func build(_ product: String, in package: String) throws {
        showProgress("Building \(product)")
        let build = Process()
        build.executableURL = URL(fileURLWithPath: "/bin/bash")
        build.arguments = [
            "-c",
            """
            . packaging/options
            release build --product "$0"
            """, product,
        ]
        build.currentDirectoryURL = URL(fileURLWithPath: package)
        build.standardOutput = FileHandle.standardError
        try build.run()
        build.waitUntilExit()
    }

    /// The path of this program.
    static var this: String {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
    }

    static func showProgress(_ progress: String) {
        FileHandle.standardError.write(Data("\(progress)\n".utf8))
    }
}
