/// A value that is being encoded.
struct EncodingLevel {
    enum Content {
        /// Nothing yet.
        case none
        /// A value without brackets, complete.
        case single
        /// An array or an object, and how many elements it has.
        case array(Int)
        case object(Int)
        /// Complete, brackets closed.
        case closed
    }

    /// Where it is written.
    let part: Int
    /// The level around it, -1 for none.
    let parent: Int
    /// What it is there.
    let key: (any CodingKey)?
    var content = Content.none

    init(part: Int, parent: Int, key: (any CodingKey)?) {
        self.part = part
        self.parent = parent
        self.key = key
    }
}

/// Text that is written apart from its surroundings.
struct EncodingPart {
    /// The text; empty while it is the one that is being written.
    var bytes: [UInt8] = []
    /// Where other parts belong in it, in order.
    var insertions: [(offset: Int, part: Int)] = []
}
