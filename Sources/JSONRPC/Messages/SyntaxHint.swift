/// Sentences for a person about the likely cause of a syntax error.
///
/// They are `hint` in the data of error -32700. Only the error path makes them.
package enum SyntaxHint {
    /// Finds the likely cause of a syntax error: a sentence without a full stop, or nil for an unknown cause.
    ///
    /// The cost is one pass over the text before the fault. A message that is a line cannot contain a line end.
    package static func hint(for error: JSONSyntaxError, in message: Bytes, isLine: Bool) -> String? {
        let fault = Fault(at: error.offset, in: message)
        return encoding(fault) ?? string(fault) ?? structure(fault, isLine) ?? token(fault)
    }

    /// The hint for a header block that the framing rejected.
    package static let header =
        "A header block has one Content-Length with the number of bytes of the message, ends with an empty line, and has"
        + " lines that end with CR LF"
    /// The hint for a message of 0 bytes.
    package static let emptyBody = "The message is empty, but has to be one JSON value"

    // MARK: Encoding

    private static func encoding(_ fault: Fault) -> String? {
        let start = fault.bytes.prefix(4)
        if start.starts(with: [0xEF, 0xBB, 0xBF]) { return "Send UTF-8 without a byte order mark" }
        if start.starts(with: [0xFF, 0xFE]) || start.starts(with: [0xFE, 0xFF]) { return "Send UTF-8, not UTF-16" }
        if fault.offset < fault.bytes.count, fault.byte == 0 {
            return "A message has no NUL bytes: write UTF-8, and end each message with a line feed"
        }
        guard fault.byte >= 0x80 else { return nil }
        // The quotation marks of a word processor: U+2018 to U+201F.
        let quote = fault.bytes.dropFirst(fault.offset).prefix(3)
        if !fault.isInString, quote.count == 3, quote.starts(with: [0xE2, 0x80]), 0x98...0x9F ~= (quote.last ?? 0) {
            return "Strings have straight double quotes: \"…\""
        }
        return fault.isInString ? "The text is not valid UTF-8" : nil
    }

    // MARK: Strings

    private static func string(_ fault: Fault) -> String? {
        guard fault.isInString, !fault.isAtEnd else { return nil }
        if fault.isSurrogate {
            return "\\ud800 to \\udbff and \\udc00 to \\udfff form a pair in this order, which is one character"
        }
        if fault.byte < ASCII.space {
            return "A control character inside a string is written as an escape, such as \\n, \\t or \\u0001"
        }
        return "An escape is one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t and \\u with four hexadecimal digits"
    }

    // MARK: Structure

    private static func structure(_ fault: Fault, _ isLine: Bool) -> String? {
        if fault.isAtEnd {
            return isLine
                ? oneLine : "The message ends before its JSON does; a Content-Length is in bytes, not in characters"
        }
        let opens = fault.byte == ASCII.openBrace || fault.byte == ASCII.openBracket
        let closes = fault.byte == ASCII.closeBrace || fault.byte == ASCII.closeBracket
        if fault.depth == 0 {
            if fault.isHTTP { return "The socket has JSON-RPC messages without HTTP: one JSON object a line" }
            if fault.hasValue { return afterValue(fault, isLine) }
            return isLine && closes ? oneLine : nil
        }
        if opens, fault.depth == JSONScanner.maximumDepth {
            return "JSON may be nested \(JSONScanner.maximumDepth) levels deep"
        }
        if closes, fault.previous == ASCII.comma { return "No comma follows the last member or element" }
        if opens || fault.byte == ASCII.quote || ASCII.isDigit(fault.byte), fault.followsValue {
            return "A colon stands between a name and its value, and a comma between members or elements"
        }
        return nil
    }

    private static let oneLine =
        "A message is one line: write its JSON without line breaks, or use Content-Length headers"

    private static func afterValue(_ fault: Fault, _ isLine: Bool) -> String {
        guard isLine else { return "A message has one JSON value; an array is a batch" }
        // A member of an object that is written on several lines.
        if fault.byte == ASCII.colon || fault.byte == ASCII.comma { return oneLine }
        return "A line has one message: end each message with a line feed, or send an array as a batch"
    }

    // MARK: Tokens

    private static func token(_ fault: Fault) -> String? {
        switch fault.byte {
        case 0x27, 0x60: return "Strings have double quotes: \"…\""
        case 0x23: return "JSON has no comments"
        case 0x2F where fault.word.hasPrefix("//") || fault.word.hasPrefix("/*"): return "JSON has no comments"
        default: break
        }
        if fault.expectsName { return "The name of a member is a string in double quotes" }
        if ["True", "False", "None", "NaN", "nan", "Infinity", "-Infinity", "undefined"].contains(fault.word) {
            return "JSON has true, false, null and finite numbers, and no \(fault.word)"
        }
        guard fault.word.utf8.contains(where: ASCII.isDigit), "+-.0123456789".contains(fault.word.prefix(1)),
            !fault.isAfterNumber
        else { return nil }
        return "A number is decimal, with no plus or zero before it and with digits on both sides of its point"
    }
}

/// The position of a syntax error.
private struct Fault {
    let bytes: Bytes
    let offset: Int
    /// The byte at the fault, or 0 at the end.
    let byte: UInt8
    /// The last byte before the fault that is not white space, or 0.
    private(set) var previous: UInt8 = 0
    /// Whether the fault is inside a string.
    private(set) var isInString = false
    /// The number of open containers.
    private(set) var depth = 0
    /// Whether a string or a container has ended before the fault, outside of all containers.
    private(set) var hasValue = false
    /// The kinds of the open containers: one bit each, 1 for an object, the innermost lowest.
    private var kinds: UInt128 = 0

    /// Reads the text before the fault, which is the beginning of valid JSON.
    init(at offset: Int, in bytes: Bytes) {
        self.bytes = bytes
        self.offset = min(offset, bytes.count)
        byte = offset < bytes.count ? bytes[offset] : 0
        var isEscaped = false
        for byte in bytes[..<self.offset] {
            if isInString {
                if isEscaped {
                    isEscaped = false
                } else if byte == ASCII.backslash {
                    isEscaped = true
                } else if byte == ASCII.quote {
                    isInString = false
                    hasValue = depth == 0
                }
            } else if !ASCII.isWhiteSpace(byte) {
                read(byte)
            } else {
                continue
            }
            previous = byte
        }
    }

    private mutating func read(_ byte: UInt8) {
        switch byte {
        case ASCII.quote:
            isInString = true
        case ASCII.openBrace, ASCII.openBracket:
            kinds = kinds &<< 1 | (byte == ASCII.openBrace ? 1 : 0)
            depth += 1
        case ASCII.closeBrace, ASCII.closeBracket:
            kinds &>>= 1
            depth -= 1
            hasValue = depth == 0
        default:
            break
        }
    }

    var isAtEnd: Bool { offset == bytes.count }

    var isHTTP: Bool {
        ["GET /", "POST /", "PUT /", "HEAD /", "OPTIONS ", "DELETE /", "PATCH /"]
            .contains { bytes.starts(with: $0.utf8) }
    }

    /// Whether the fault is the escape of a surrogate.
    var isSurrogate: Bool {
        guard byte == ASCII.backslash, offset + 4 <= bytes.count else { return false }
        return bytes[offset + 1] == 0x75 && bytes[offset + 2] | 0x20 == 0x64
            && ASCII.hexadecimal(bytes[offset + 3]).map { $0 >= 8 } ?? false
    }

    /// Whether a value has ended inside the innermost container, so that a comma or its end was expected.
    var followsValue: Bool {
        switch previous {
        case ASCII.comma, ASCII.colon, ASCII.openBrace, ASCII.openBracket: false
        default:
            isSeparated || previous == ASCII.quote || previous == ASCII.closeBrace || previous == ASCII.closeBracket
        }
    }

    /// Whether white space stands before the fault.
    private var isSeparated: Bool { offset > 0 && ASCII.isWhiteSpace(bytes[offset - 1]) }

    /// Whether the word around the fault is a valid number, so that the fault is what follows it.
    var isAfterNumber: Bool {
        Array(word.utf8).withUnsafeBytes { (try? JSONText.validate($0)) != nil }
    }

    var expectsName: Bool {
        kinds & 1 == 1 && (previous == ASCII.openBrace || previous == ASCII.comma) && byte > ASCII.space
    }

    /// The word around the fault, such as a literal that JSON does not have.
    var word: String {
        func isWord(_ byte: UInt8) -> Bool {
            switch byte {
            case ASCII.comma, ASCII.colon, ASCII.openBrace, ASCII.closeBrace, ASCII.openBracket, ASCII.closeBracket,
                ASCII.quote, 0...ASCII.space:
                false
            default: true
            }
        }
        let start = bytes[..<offset].lastIndex { !isWord($0) }.map { $0 + 1 } ?? 0
        let end = bytes[offset...].prefix(32).firstIndex { !isWord($0) } ?? min(bytes.count, offset + 32)
        guard end - start <= 64, start < end else { return "" }
        return String(decoding: bytes[start..<end], as: UTF8.self)
    }
}
