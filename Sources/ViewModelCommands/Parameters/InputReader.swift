import Foundation
import Glibc
import Synchronization
import UnixIO

/// A reader of values from the standard input and from files.
package final class InputReader: Sendable {
    private let standardInputReader: Mutex<String?>
    private let lines = StandardInput.Lines()

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
    /// A later reader gets an error with the name of this one.
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
        // Before the question, so that the terminal shows nothing of a quick answer.
        let hidden = isHidden ? HiddenInput() : nil
        defer { hidden?.end() }
        if isatty(STDIN_FILENO) == 1 { try Descriptor.error.write(Array("\(question)\(mark)".utf8)) }
        let answer: [UInt8]?
        do {
            answer = try await lines.next()
        } catch {
            // The cursor stands behind the question.
            if isatty(STDIN_FILENO) == 1 { try? Descriptor.error.write(line: "") }
            throw error
        }
        guard var line = answer else {
            throw CommandFailure.usage("The standard input ended before the \(question.lowercased())")
        }
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        return try Self.text(line, of: "The standard input")
    }

    /// Reads a file, which may be a pipe, and removes the last line end.
    package func file(_ path: String, remedy: String? = nil) async throws -> String {
        try Self.text(Self.withoutLineEnd(await Self.bytes(of: path, remedy: remedy)), of: path)
    }

    /// Reads a file, which may be a pipe.
    package static func bytes(of path: String, remedy: String? = nil) async throws -> [UInt8] {
        try await BlockingThread.run { () throws(CommandFailure) in try readAll(path, remedy) }
    }

    /// Reads a file, and blocks meanwhile.
    package static func readAll(_ path: String, _ remedy: String? = nil) throws(CommandFailure) -> [UInt8] {
        do throws(SystemError) {
            let descriptor = open(path.cPath, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw .last }
            defer { close(descriptor) }
            return try Descriptor(number: descriptor).read(atMost: .max - 1)
        } catch {
            throw .usage("\(path) cannot be read: \(error)", remedy: remedy)
        }
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
    package static func text(_ bytes: [UInt8], of source: String) throws(CommandFailure) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw .usage("\(source) is not UTF-8 text")
        }
        return text
    }
}
