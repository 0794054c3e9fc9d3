import AsyncHTTPClient
import Foundation

/// The server of this package in Python, as a process with a free port.
final class ChatServerProcess {
    let address: String
    private let process = Process()

    init(_ flags: String...) throws {
        let package = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
        process.executableURL = URL(filePath: "/usr/bin/env")
        let program = package.appending(path: "server/chat-server").standardizedFileURL.path
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

    /// Signs an account in, and returns its token.
    func signIn(_ account: String) async throws -> String {
        struct Reply: Decodable { let token: String }
        let reply = try await post("/login", ["account": account, "password": "open sesame"])
        return try JSONDecoder().decode(Reply.self, from: reply).token
    }

    /// Sends a message, as the accounts of a daemon do.
    func send(_ text: String, to room: String, token: String) async throws {
        let letter = String(decoding: try JSONEncoder().encode(["room": room, "text": text]), as: UTF8.self)
        _ = try await post("/messages", ["text": letter], token: token)
    }

    /// Makes the next requests fail: `busy=2`.
    func fail(_ faults: String) async throws { _ = try await post("/faults?\(faults)", [:]) }

    private func post(_ path: String, _ body: [String: String], token: String = "") async throws -> Data {
        var request = HTTPClientRequest(url: address + path)
        request.method = .POST
        request.headers = ["Authorization": "Bearer \(token)", "Idempotency-Key": UUID().uuidString]
        request.body = .bytes(try JSONEncoder().encode(body))
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(120))
        return Data(try await response.body.collect(upTo: 1 << 20).readableBytesView)
    }
}
