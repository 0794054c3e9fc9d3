import CUnixIO
import Glibc

/// The arguments and the environment of the process as the bytes that they are.
///
/// Swift's `CommandLine.arguments` and Foundation's environment put U+FFFD in the place of bytes that are not UTF-8. A
/// value would change, and a path would lead elsewhere.
package enum ProcessText {
    /// The sentence about the first argument that is not UTF-8 text, or nil.
    package static var argumentProblem: String? {
        for index in 0..<Int(CommandLine.argc) {
            guard let argument = CommandLine.unsafeArgv[index], String(validatingCString: argument) == nil else {
                continue
            }
            return "argument \(index) is not UTF-8 text; write it in UTF-8"
        }
        return nil
    }

    /// Returns the sentence about the first variable that is not UTF-8 text, or nil.
    ///
    /// - Parameters:
    ///   - names: The variables to check.
    ///   - prefixes: The beginnings of the names of others.
    /// - Returns: The sentence.
    package static func variableProblem(_ names: Set<String>, prefixes: [String] = []) -> String? {
        for entry in environment {
            let bytes = entry.dropLast().map(UInt8.init(bitPattern:))
            let name = String(decoding: bytes.prefix { $0 != UInt8(ascii: "=") }, as: UTF8.self)
            guard names.contains(name) || prefixes.contains(where: name.hasPrefix),
                String(validating: bytes, as: UTF8.self) == nil
            else { continue }
            return "the environment variable \(name) is not UTF-8 text; write it in UTF-8"
        }
        return nil
    }

    /// The variables of the environment, each as `NAME=value` with its final zero.
    package static var environment: [[CChar]] {
        var entries: [[CChar]] = []
        guard var next = unix_environment() else { return entries }
        while let entry = next.pointee {
            entries.append(Array(UnsafeBufferPointer(start: entry, count: strlen(entry) + 1)))
            next += 1
        }
        return entries
    }
}
