#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

extension MessageFraming {
    /// Continues a line.
    mutating func line(_ chunk: Bytes, _ position: inout Int, _ handler: (Event) -> Flow) -> Flow {
        let start = position
        guard let end = Self.lineFeed(in: chunk, from: start) else {
            position = chunk.count
            let rest = chunk.part(start..<chunk.count)
            // A CR one byte above the limit may belong to the line end, which does not count.
            let count = buffer.count + rest.count
            guard
                count <= maximumMessageBytes || (count == maximumMessageBytes + 1 && rest.last == ASCII.carriageReturn)
            else {
                buffer = []
                state = .discardedLine
                return handler(.tooLarge)
            }
            keep(rest, atMost: maximumMessageBytes + 1)
            return .proceed
        }
        position = end + 1
        guard !buffer.isEmpty else { return finishLine(chunk.part(start..<end), handler) }
        let count = buffer.count + end - start
        guard count <= maximumMessageBytes + 1 else {
            buffer = []
            return handler(.tooLarge)
        }
        keep(chunk.part(start..<end), atMost: maximumMessageBytes + 1)
        let line = buffer
        buffer = []
        return line.withUnsafeBytes { finishLine($0, handler) }
    }

    /// Discards the rest of a line that is over the limit.
    mutating func discardLine(_ chunk: Bytes, _ position: inout Int) -> Flow {
        if let end = Self.lineFeed(in: chunk, from: position) {
            position = end + 1
            state = .line
        } else {
            position = chunk.count
        }
        return .proceed
    }

    private func finishLine(_ line: Bytes, _ handler: (Event) -> Flow) -> Flow {
        let line = line.last == ASCII.carriageReturn ? line.part(0..<(line.count - 1)) : line
        guard line.count <= maximumMessageBytes else { return handler(.tooLarge) }
        guard line.contains(where: { !ASCII.isWhiteSpace($0) }) else { return .proceed }
        return handler(.message(line))
    }

    private static func lineFeed(in chunk: Bytes, from start: Int) -> Int? {
        guard start < chunk.count, let base = chunk.baseAddress,
            let found = memchr(base + start, Int32(ASCII.lineFeed), chunk.count - start)
        else { return nil }
        return UnsafeRawPointer(found) - base
    }
}
