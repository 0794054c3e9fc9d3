import AsyncHTTPClient
import Foundation

/// The server of this package in Python, as a process with a free port.
final class PodcastServerProcess {
    let address: String
    private let process = Process()

    init(_ flags: String...) throws {
        let package = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
        process.executableURL = URL(filePath: "/usr/bin/env")
        let program = package.appending(path: "server/podcast-server").standardizedFileURL.path
        process.arguments = ["python3", program, "--port", "0"] + flags
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        // The first line is the address. The server listens when it prints it.
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        address = line.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    deinit {
        // The process inherits the blocked signals of the thread that has started it, SIGTERM among them.
        kill(process.processIdentifier, SIGKILL)
    }

    /// Makes the next requests fail: `busy=2` or `cutOff=1`.
    func fail(_ faults: String) async throws {
        var request = HTTPClientRequest(url: "\(address)/faults?\(faults)")
        request.method = .POST
        _ = try await HTTPClient.shared.execute(request, timeout: .seconds(120))
    }
}
