import Dispatch
import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The standard input, read by a thread of its own, so that whoever waits for it can be cancelled.
enum StandardInput {
    private static let chunkSize = 1 << 16

    /// What comes in, as it comes; the thread reads no further than one chunk ahead.
    static func chunks() -> AsyncStream<[UInt8]> {
        // Made with 0 and raised: one that is let go below its first value traps.
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

    /// The lines that come in, without their ends.
    static func lines() -> AsyncStream<String> {
        let chunks = Lines(chunks())
        return AsyncStream { await chunks.next() }
    }

    /// Cuts chunks into lines.
    private actor Lines {
        private let chunks: AsyncStream<[UInt8]>
        private var rest: [UInt8] = []
        private var hasEnded = false

        init(_ chunks: AsyncStream<[UInt8]>) {
            self.chunks = chunks
        }

        func next() async -> String? {
            while true {
                if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    let line = rest[..<end]
                    rest.removeSubrange(...end)
                    return String(decoding: line, as: UTF8.self)
                }
                if hasEnded {
                    defer { rest = [] }
                    return rest.isEmpty ? nil : String(decoding: rest, as: UTF8.self)
                }
                var iterator = chunks.makeAsyncIterator()
                if let chunk = await iterator.next() { rest += chunk } else { hasEnded = true }
            }
        }
    }
}
