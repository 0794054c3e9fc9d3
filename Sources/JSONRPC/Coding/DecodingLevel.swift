/// Where a value stands: in which level, and as what.
struct DecodingPosition {
    enum Step {
        /// It is the level's own value, or the whole text.
        case none
        /// It is a member, named by its index in the core.
        case member(Int)
        /// It is an element.
        case index(Int)
    }

    /// The index of the level, -1 outside of any.
    var parent: Int
    var step: Step

    static let root = DecodingPosition(parent: -1, step: .none)
}

/// A value that is being decoded.
struct DecodingLevel {
    /// Where its text is.
    let value: Range<Int>
    /// Where it stands in the picture.
    let place: DecodingPosition
    /// Whether it is the whole text, and so may have members to ignore.
    let isTop: Bool
    /// Whether its type has looked at it.
    var isTouched = false
    /// Its members in the core's list, once it was opened as an object.
    var members: Range<Int>?
    /// How many of them nobody has asked for.
    var unasked = 0
    /// The member that is probably asked for next.
    var hint = 0
    /// Where to find members by name, when they are many.
    var table: [ExactString: Int]?
    /// Names that were asked for and are not there, kept as long as they may be needed for an error.
    var missing: [String] = []

    init(value: Range<Int>, place: DecodingPosition, isTop: Bool) {
        self.value = value
        self.place = place
        self.isTop = isTop
    }
}

/// A member of an object that is being decoded.
struct DecodingMember {
    var name: Range<Int>
    var value: Range<Int>
    var hasEscapes: Bool
    var isAsked = false
}
