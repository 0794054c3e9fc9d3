/// A line with placeholders for the id of the request (`{id}`) and a number (`{n}`).
struct LineTemplate: Sendable, ExpressibleByStringLiteral {
    private enum Part {
        case text([UInt8])
        case id
        case number
    }

    private let parts: [Part]

    init(stringLiteral text: String) {
        var parts: [Part] = []
        var rest = text[...]
        while let brace = rest.firstRange(of: /\{(id|n)\}/) {
            parts.append(.text(Array(rest[..<brace.lowerBound].utf8)))
            parts.append(rest[brace] == "{id}" ? .id : .number)
            rest = rest[brace.upperBound...]
        }
        parts.append(.text(Array(rest.utf8) + [UInt8(ascii: "\n")]))
        self.parts = parts
    }

    /// Appends the line, including its end.
    func append(to bytes: inout [UInt8], id: Int, number: Int) {
        for part in parts {
            switch part {
            case .text(let text): bytes.append(contentsOf: text)
            case .id: Self.append(id, to: &bytes)
            case .number: Self.append(number, to: &bytes)
            }
        }
    }

    private static func append(_ number: Int, to bytes: inout [UInt8]) {
        var divisor = 1
        while number / divisor > 9 { divisor *= 10 }
        while divisor > 0 {
            bytes.append(UInt8(ascii: "0") + UInt8(number / divisor % 10))
            divisor /= 10
        }
    }
}
