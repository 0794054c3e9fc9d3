import ArgumentParser
import Foundation

/// The program of the measured daemon.
enum DaemonProgram {
    /// Returns the given path, or the path of the release build in the package above this one.
    ///
    /// A missing release build is built first.
    static func path(_ given: String?) throws -> String {
        let path = try given ?? builtPath()
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw ValidationError("\(path) is not a program. Name the daemon's with --daemon")
        }
        return path
    }

    private static func builtPath() throws -> String {
        guard let package = packageFolder else {
            throw ValidationError("No daemon is built above \(this). Name its program with --daemon")
        }
        let path = "\(package)/.build/release/viewmodeld"
        if !FileManager.default.fileExists(atPath: path) { try build(in: package) }
        return path
    }

    /// The folder of the daemon's package, which contains the folder `Benchmarks`.
    private static var packageFolder: String? {
        var folder = URL(fileURLWithPath: this).deletingLastPathComponent()
        while folder.path != "/" {
            if FileManager.default.fileExists(atPath: folder.path + "/Benchmarks/Package.swift") { return folder.path }
            folder.deleteLastPathComponent()
        }
        return nil
    }

    /// Builds the program that ships, without stripping its symbols.
    private static func build(in package: String) throws {
        showProgress("Building the daemon")
        let build = Process()
        build.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        build.arguments = ["swift", "build", "-c", "release", "--static-swift-stdlib", "--product", "viewmodeld"]
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
