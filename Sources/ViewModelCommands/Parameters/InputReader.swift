import Foundation
import Glibc
import Synchronization
import UnixIO

/// A reader of values from the standard input and from files.
final class InputReader: Sendable {
    private let standardInputReader: Mutex<String?>
    /// The lines of the standard input; nil before the first line is read.
    private let lines = Mutex<AsyncStream<[UInt8]>?>(nil)

    /// Creates a reader; `standardInputReader` names a part of the program that already reads the standard input.
    ///
    /// Another read of the standard input then throws an error with that name.
    init(standardInputReader reader: String? = nil) {
        standardInputReader = Mutex(reader)
    }

    /// Reads the standard input to its end and removes the last line end.
    ///
    /// On a terminal it prompts with the name of the value and reads one line without echo, because the line may be a
    /// password.
    func standardInput(for name: String) async throws -> String {
        try claim(for: "@-")
        if isatty(STDIN_FILENO) == 1 { return try await nextLine(name, isHidden: true) }
        return try Self.text(Self.withoutLineEnd(await StandardInput.bytes()), of: "The standard input")
    }

    /// Reads one line of the standard input for each question, and writes the question first on a terminal.
    ///
    /// - Parameters:
    ///   - questions: The questions, and whether the typed answer stays hidden.
    ///   - reader: The name of the reader for the error of a later one.
    /// - Returns: The answers in the order of the questions.
    /// - Throws: ``CommandFailure`` if another reader uses the standard input, or if it ends too early;
    ///   `CancellationError`.
    func answers(_ questions: [(text: String, isHidden: Bool)], for reader: String) async throws -> [String] {
        try claim(for: reader)
        var answers: [String] = []
        for question in questions {
            answers.append(try await nextLine(question.text, isHidden: question.isHidden))
        }
        return answers
    }

    /// Writes a question and reads the answer; nil without a terminal, and if another reader uses the standard input.
    func answer(to question: String) async throws -> String? {
        guard isatty(STDIN_FILENO) == 1, standardInputReader.withLock({ $0 }) == nil else { return nil }
        return try await nextLine(question, isHidden: false, mark: " ")
    }

    private func claim(for newcomer: String) throws {
        try standardInputReader.withLock { reader in
            if let reader {
                throw CommandFailure.usage("\(newcomer) reads the standard input, but \(reader) reads it already")
            }
            reader = "another \(newcomer)"
        }
    }

    private func nextLine(_ question: String, isHidden: Bool, mark: String = ": ") async throws -> String {
        let stream = lines.withLock { lines in
            let stream = lines ?? StandardInput.lines()
            lines = stream
            return stream
        }
        // Before the question, so that the terminal shows nothing of a quick answer.
        let hidden = isHidden ? HiddenInput() : nil
        defer { hidden?.end() }
        if isatty(STDIN_FILENO) == 1 { try Descriptor.error.write(Array("\(question)\(mark)".utf8)) }
        var iterator = stream.makeAsyncIterator()
        let line = await iterator.next()
        if Task.isCancelled {
            // The cursor stands behind the question.
            if isatty(STDIN_FILENO) == 1 { try? Descriptor.error.write(line: "") }
            throw CancellationError()
        }
        guard var line else {
            throw CommandFailure.usage("The standard input ended before the \(question.lowercased())")
        }
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        return try Self.text(line, of: "The standard input")
    }

    /// Reads a file, which may be a pipe, and removes the last line end.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - remedy: The remedy in the error for an unreadable file.
    /// - Returns: The text of the file.
    /// - Throws: ``CommandFailure`` if the file cannot be read or is not UTF-8; `CancellationError`.
    func file(_ path: String, remedy: String? = nil) async throws -> String {
        try Self.text(Self.withoutLineEnd(await Self.bytes(of: path, remedy: remedy)), of: path)
    }

    /// Reads a file, which may be a pipe.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - remedy: The remedy in the error for an unreadable file.
    /// - Returns: The bytes of the file.
    /// - Throws: ``CommandFailure`` if the file cannot be read; `CancellationError`.
    static func bytes(of path: String, remedy: String? = nil) async throws -> [UInt8] {
        try await BlockingThread.run { () throws(CommandFailure) in try readAll(path, remedy) }
    }

    /// Reads a file, and blocks meanwhile.
    static func readAll(_ path: String, _ remedy: String? = nil) throws(CommandFailure) -> [UInt8] {
        let descriptor = open(path.cPath, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw unreadable(path, remedy) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw unreadable(path, remedy) }
            guard count > 0 else { return bytes }
            bytes += chunk[..<count]
        }
    }

    private static func unreadable(_ path: String, _ remedy: String?) -> CommandFailure {
        .usage("\(path) cannot be read: \(String(cString: strerror(errno)))", remedy: remedy)
    }

    private static func withoutLineEnd(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        if bytes.last == UInt8(ascii: "\n") {
            bytes.removeLast()
            if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        }
        return bytes
    }

    /// Returns bytes as text.
    ///
    /// - Throws: ``CommandFailure`` that names the source, if the bytes are not UTF-8.
    static func text(_ bytes: [UInt8], of source: String) throws(CommandFailure) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw .usage("\(source) is not UTF-8 text")
        }
        return text
    }
}
