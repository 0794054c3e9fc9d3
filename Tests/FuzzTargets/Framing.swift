import JSONRPC

/// Splits a stream whole and in pieces; both have to give the same events.
///
/// The first byte chooses the pieces, the second one the longest message. The rest is the stream.
func fuzzFraming(_ input: UnsafeRawBufferPointer) {
    guard input.count > 2 else { return }
    let limit = Int(input[1])
    let stream = input.part(2..<input.count)
    var whole: [FramingEvent] = []
    var framing = MessageFraming(maximumMessageBytes: limit)
    let consumed = framing.consume(stream) { event in
        whole.append(FramingEvent(event))
        return .proceed
    }
    require(consumed == stream.count, "\(consumed) of \(stream.count) bytes were consumed")

    var random = UInt32(input[0])
    func next(below bound: UInt32) -> Int {
        random = random &* 1_664_525 &+ 1_013_904_223
        return Int((random >> 16) % bound)
    }
    var pieces: [FramingEvent] = []
    var pieceFraming = MessageFraming(maximumMessageBytes: limit)
    var start = 0
    while start < stream.count {
        let end = min(stream.count, start + 1 + next(below: 9))
        let consumed = pieceFraming.consume(stream.part(start..<end)) { event in
            pieces.append(FramingEvent(event))
            return next(below: 2) == 0 ? .pause : .proceed
        }
        require(consumed > 0, "no byte of \(start)..<\(end) was consumed")
        start += consumed
        require(pieceFraming.bufferedBytes <= max(limit + 1, 8192), "\(pieceFraming.bufferedBytes) bytes are held")
    }
    require(whole == pieces, "whole: \(whole), in pieces: \(pieces)")
    require(framing.mode == pieceFraming.mode, "the modes differ")
}

/// An event that owns its bytes.
private enum FramingEvent: Equatable {
    case message([UInt8])
    case tooLarge
    case malformedHeader
    case emptyBody

    init(_ event: MessageFraming.Event) {
        switch event {
        case .message(let bytes): self = .message(Array(bytes))
        case .tooLarge: self = .tooLarge
        case .malformedHeader: self = .malformedHeader
        case .emptyBody: self = .emptyBody
        }
    }
}
