extension MessageFraming {
    /// Continues a header block.
    mutating func headerBytes(_ chunk: Bytes, _ position: inout Int, _ handler: (Event) -> Flow) -> Flow {
        switch header.consume(chunk, &position) {
        case .unfinished:
            return .proceed
        case .malformed:
            header = HeaderBlock()
            position = chunk.count
            state = .lost
            return handler(.malformedHeader)
        case .length(let length):
            header = HeaderBlock()
            if length == 0 { return handler(.emptyBody) }
            guard length <= maximumMessageBytes else {
                state = .discardedBody(remaining: length)
                return handler(.tooLarge)
            }
            state = .body(remaining: length)
            return .proceed
        }
    }

    /// Continues a message of known length.
    mutating func body(
        _ chunk: Bytes,
        _ position: inout Int,
        _ remaining: Int,
        _ handler: (Event) -> Flow
    ) -> Flow {
        let start = position
        guard chunk.count - start >= remaining else {
            let rest = chunk.part(start..<chunk.count)
            keep(rest, atMost: buffer.count + remaining)
            position = chunk.count
            state = .body(remaining: remaining - rest.count)
            return .proceed
        }
        position = start + remaining
        state = .header
        let rest = chunk.part(start..<position)
        guard !buffer.isEmpty else { return handler(.message(rest)) }
        keep(rest, atMost: buffer.count + remaining)
        let message = buffer
        buffer = []
        return message.withUnsafeBytes { handler(.message($0)) }
    }

    /// Discards the rest of a message that is over the limit.
    mutating func discardBody(_ chunk: Bytes, _ position: inout Int, _ remaining: Int) -> Flow {
        let count = min(remaining, chunk.count - position)
        position += count
        state = count == remaining ? .header : .discardedBody(remaining: remaining - count)
        return .proceed
    }
}
