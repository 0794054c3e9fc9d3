import JSONRPC

/// A framing and what it found.
struct FramingLog {
    enum Entry: Equatable {
        case message([UInt8]), tooLarge, malformedHeader, emptyBody
    }

    var framing: MessageFraming
    var entries: [Entry] = []
    /// The most bytes that were ever buffered between two chunks.
    var mostBuffered = 0

    init(maximum: Int = 1 << 20) {
        framing = MessageFraming(maximumMessageBytes: maximum)
    }

    /// Feeds a chunk; passes the rest in again after each pause.
    mutating func feed(_ chunk: [UInt8], pausing: Bool = false) {
        var offset = 0
        repeat {
            let rest = Array(chunk[offset...])
            offset += rest.withUnsafeBytes { bytes in
                framing.consume(bytes) { event in
                    entries.append(Entry(event))
                    return pausing ? .pause : .proceed
                }
            }
            mostBuffered = max(mostBuffered, framing.bufferedBytes)
        } while offset < chunk.count
    }

    mutating func feed(_ text: String, pausing: Bool = false) {
        feed(Array(text.utf8), pausing: pausing)
    }

    /// The messages as text; nil for each other event.
    var texts: [String?] {
        entries.map { if case .message(let bytes) = $0 { String(decoding: bytes, as: UTF8.self) } else { nil } }
    }
}

extension FramingLog.Entry {
    init(_ event: MessageFraming.Event) {
        switch event {
        case .message(let bytes): self = .message(Array(bytes))
        case .tooLarge: self = .tooLarge
        case .malformedHeader: self = .malformedHeader
        case .emptyBody: self = .emptyBody
        }
    }
}
