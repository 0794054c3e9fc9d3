import Dispatch
import Foundation
import Glibc

/// The standard input, read by a separate thread, so that a task that waits for it can be cancelled.
enum StandardInput {
    private static let chunkSize = 1 << 16

    /// Returns a stream of the incoming bytes; the thread reads at most one chunk ahead.
    static func chunks() -> AsyncStream<[UInt8]> {
        // libdispatch traps if a semaphore is released below its initial value. Therefore it starts with 0.
        let demand = DispatchSemaphore(value: 0)
        demand.signal()
        let (stream, continuation) = AsyncStream<[UInt8]>.makeStream()
        Thread.detachNewThread {
            while true {
                demand.wait()
                let chunk = [UInt8](unsafeUninitializedCapacity: chunkSize) { buffer, count in
                    count = max(0, read(STDIN_FILENO, buffer.baseAddress, chunkSize))
                }
                guard !chunk.isEmpty else { break }
                continuation.yield(chunk)
            }
            continuation.finish()
        }
        return AsyncStream {
            var iterator = stream.makeAsyncIterator()
            let chunk = await iterator.next()
            demand.signal()
            return chunk
        }
    }

    /// Reads the standard input to its end.
    ///
    /// - Returns: The bytes.
    /// - Throws: `CancellationError`.
    static func bytes() async throws -> [UInt8] {
        var bytes: [UInt8] = []
        for await chunk in chunks() { bytes += chunk }
        try Task.checkCancellation()
        return bytes
    }

    /// Returns a stream of the lines without their line feeds.
    static func lines() -> AsyncStream<[UInt8]> {
        let chunks = Lines(chunks())
        return AsyncStream { await chunks.next() }
    }

    /// A splitter of chunks into lines.
    private actor Lines {
        private let chunks: AsyncStream<[UInt8]>
        private var rest: [UInt8] = []
        private var hasEnded = false

        init(_ chunks: AsyncStream<[UInt8]>) {
            self.chunks = chunks
        }

        func next() async -> [UInt8]? {
            while true {
                if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    let line = Array(rest[..<end])
                    rest.removeSubrange(...end)
                    return line
                }
                if hasEnded {
                    defer { rest = [] }
                    return rest.isEmpty ? nil : rest
                }
                var iterator = chunks.makeAsyncIterator()
                if let chunk = await iterator.next() { rest += chunk } else { hasEnded = true }
            }
        }
    }
}
