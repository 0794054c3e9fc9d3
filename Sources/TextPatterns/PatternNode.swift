/// A part of a pattern.
indirect enum PatternNode {
    case one(ScalarSet)
    case assertion(PatternAssertion)
    case sequence([PatternNode])
    case alternatives([PatternNode])
    /// A part that occurs `least` times or more, up to `most` times if that is not nil.
    case repeated(PatternNode, least: Int, most: Int?)

    /// Whether the part reads and checks nothing.
    var isEmpty: Bool {
        switch self {
        case .one, .assertion, .alternatives: false
        case .sequence(let parts): parts.allSatisfy(\.isEmpty)
        case .repeated(let part, _, let most): most == 0 || part.isEmpty
        }
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
