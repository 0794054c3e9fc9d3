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
            while let line = readLine() { continuation.yield(line) }
            continuation.finish()
            kill(getpid(), SIGTERM)
        }
        return lines
    }
}
