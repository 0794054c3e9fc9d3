/// A part of a pattern.
indirect enum PatternNode {
    case one(ScalarSet)
    case assertion(PatternAssertion)
    case sequence([PatternNode])
    case alternatives([PatternNode])
    /// A part that occurs `least` times or more, up to `most` times if that is not nil.
    case repeated(PatternNode, least: Int, most: Int?)

    /// The number of its instructions, or nil above the largest size of a pattern.
    ///
    /// It is computed before a repetition is copied.
    var size: Int? {
        let size: Int?
        switch self {
        case .one, .assertion: size = 1
        case .sequence(let parts): size = Self.sum(parts)
        case .alternatives(let parts): size = Self.sum(parts).map { $0 + 2 * (parts.count - 1) }
        case .repeated(let part, let least, let most):
            guard let once = part.size else { return nil }
            let required = once.multipliedReportingOverflow(by: least)
            let optional = (once + 1).multipliedReportingOverflow(by: most.map { $0 - least } ?? 1)
            let sum = required.partialValue.addingReportingOverflow(optional.partialValue)
            let isTooLarge = required.overflow || optional.overflow || sum.overflow
            size = isTooLarge ? nil : sum.partialValue + (most == nil ? 1 : 0)
        }
        return size.flatMap { $0 < TextPattern.largestSize ? $0 : nil }
    }

    private static func sum(_ parts: [PatternNode]) -> Int? {
        var sum = 0
        for part in parts {
            guard let size = part.size else { return nil }
            sum += size
        }
        return sum
    }
}

/// A condition on a position in a text.
enum PatternAssertion {
    case start
    case end
    case wordBoundary
    case noWordBoundary

    /// Returns whether the condition holds between two characters; nil stands for an end of the text.
    func holds(between former: Unicode.Scalar?, and next: Unicode.Scalar?) -> Bool {
        switch self {
        case .start: former == nil
        case .end: next == nil
        case .wordBoundary: Self.isWord(former) != Self.isWord(next)
        case .noWordBoundary: Self.isWord(former) == Self.isWord(next)
        }
    }

    private static func isWord(_ scalar: Unicode.Scalar?) -> Bool { scalar.map(ScalarSet.words.contains) ?? false }
}
