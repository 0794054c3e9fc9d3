import Foundation
import Glibc

/// The standard input of a daemon that `viewmodelctl dev` runs.
///
/// Only the process that started the daemon can write to this pipe. Clients cannot.
enum DevelopmentInput {
    /// Returns the lines of the standard input, until its end.
    ///
    /// The end stops the daemon, because the process that started it has ended.
    static func lines() -> AsyncStream<String> {
        let (lines, continuation) = AsyncStream.makeStream(of: String.self)
        // Reading blocks, so it has a thread of its own.
        Thread.detachNewThread {
            var rest: [UInt8] = []
            var part = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = read(STDIN_FILENO, &part, part.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { break }
                rest += part[..<count]
                while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    continuation.yield(String(decoding: rest[..<end], as: UTF8.self))
                    rest.removeSubrange(...end)
                }
            }
            continuation.finish()
            kill(getpid(), SIGTERM)
        }
        return lines
    }
}
