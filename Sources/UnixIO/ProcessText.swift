import CUnixIO
import Glibc

/// The arguments and the environment of the process, which keep bytes that are not UTF-8 (`String.init(systemBytes:)`).
///
/// Swift's `CommandLine.arguments` and Foundation's environment put U+FFFD in the place of these bytes. A value would
/// change, and a path would lead elsewhere.
package enum ProcessText {
    /// The arguments, the name of the program first.
    package static let arguments = (0..<Int(CommandLine.argc)).compactMap { index in
        CommandLine.unsafeArgv[index].map { String(systemCString: $0) }
    }

    /// The variables by their names.
    package static var variables: [String: String] {
        let pairs = environment.compactMap { entry -> (String, String)? in
            let bytes = entry.dropLast().map(UInt8.init(bitPattern:))
            guard let end = bytes.firstIndex(of: UInt8(ascii: "=")) else { return nil }
            return (String(systemBytes: bytes[..<end]), String(systemBytes: bytes[(end + 1)...]))
        }
        return Dictionary(pairs) { first, _ in first }
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
