import Foundation

/// A temporary folder for a daemon's socket, state and log.
struct DemoFolder {
    /// The maximum length of a socket's path in bytes.
    private static let longestSocket = 107

    private let path: String

    var socket: String { "\(path)/viewmodeld.sock" }
    var state: String { "\(path)/state" }
    var log: String { "\(path)/log" }

    init() throws {
        let name = "viewmodeld-demo-\(UInt32.random(in: 0...UInt32.max))"
        let temporary = FileManager.default.temporaryDirectory.appendingPathComponent(name).path
        path = temporary.utf8.count + 20 > Self.longestSocket ? "/tmp/\(name)" : temporary
        try FileManager.default.createDirectory(
            atPath: path,
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700]
        )
    }

    func remove() {
        try? FileManager.default.removeItem(atPath: path)
    }
}
