import Foundation
import Synchronization

/// Reads the values that a command line takes from elsewhere: the standard input and files.
final class InputReader: Sendable {
    private let standardInputTakenBy: Mutex<String?>

    /// Creates a reader; the standard input may be somebody's already, whose name an error then tells.
    init(standardInputTakenBy reader: String? = nil) {
        standardInputTakenBy = Mutex(reader)
    }

    /// Reads the standard input to its end, without the line end that closes it.
    func standardInput() async throws -> String {
        try standardInputTakenBy.withLock { reader in
            if let reader { throw CommandFailure.usage("@- reads the standard input, but \(reader) reads it already") }
            reader = "another @-"
        }
        var bytes: [UInt8] = []
        for await chunk in StandardInput.chunks() { bytes += chunk }
        try Task.checkCancellation()
        return try text(bytes, of: "The standard input")
    }

    /// Reads a file, without the line end that closes it.
    func file(_ path: String) throws -> String {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw CommandFailure.usage("\(path) cannot be read", remedy: "@ stands before the name of a file")
        }
        return try text(Array(data), of: path)
    }

    private func text(_ bytes: [UInt8], of source: String) throws -> String {
        var bytes = bytes
        if bytes.last == UInt8(ascii: "\n") {
            bytes.removeLast()
            if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw CommandFailure.usage("\(source) is no UTF-8 text")
        }
        return text
    }
}
