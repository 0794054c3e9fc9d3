import Synchronization

/// Lines that were written.
final class WrittenLines: Sendable {
    private let bytes = Mutex<[UInt8]>([])

    var add: @Sendable ([UInt8]) -> Void {
        { line in self.bytes.withLock { $0 += line } }
    }

    var all: [String] {
        String(decoding: bytes.withLock { $0 }, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}
