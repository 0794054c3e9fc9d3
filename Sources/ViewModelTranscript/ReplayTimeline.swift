import ViewModelProtocol

/// The pictures of one instance that a recorded connection had, one after the other.
///
/// It keeps the frames and one picture, because a transcript can have thousands of frames of a long list.
struct ReplayTimeline {
    /// A change, with the entry of the transcript that has made it.
    private var changes: Changes = []
    /// The number of changes that ``current`` has.
    private var position = 0
    /// The picture at the moment of the replay; nil for an unknown one, and without a binding.
    private var current: Picture?

    mutating func append(_ change: ReplayPictures.Change, at entry: Int) {
        changes.append((entry, change))
    }

    /// Returns the pictures at an entry and at each later entry before `end`, until the picture is unknown; nil if it is
    /// unknown at the entry.
    ///
    /// Calls must come in the order of the entries.
    mutating func states(at entry: Int, before end: Int) -> States? {
        while position < changes.count, changes[position].entry <= entry {
            changes[position].change.apply(to: &current)
            position += 1
        }
        guard current != nil else { return nil }
        return sequence(state: (rest: changes[position...].prefix { $0.entry < end }, picture: current)) { state in
            guard let values = state.picture?.values else { return nil }
            guard let entry = state.rest.first?.entry else {
                state.picture = nil
                return values
            }
            while state.rest.first?.entry == entry { state.rest.removeFirst().change.apply(to: &state.picture) }
            return values
        }
    }

    /// The pictures of a window, the first one included.
    typealias States = UnfoldSequence<JSONObject, (rest: Changes.SubSequence, picture: Picture?)>
    typealias Changes = [(entry: Int, change: ReplayPictures.Change)]

    /// Returns the picture of a client that resumes its binding at a step; nil if it is not known.
    func picture(of binding: JSONValue, at since: Since) -> Picture? {
        var found: Picture?
        var isFollowed = false
        for (_, change) in changes {
            switch change {
            case .picture(let picture, of: let bound):
                isFollowed = bound == binding && picture.epoch == since.epoch && picture.seq <= since.seq
                if isFollowed { found = picture }
            case .frame(let frame) where isFollowed && frame.seq <= since.seq: change.apply(to: &found)
            case .frame, .unknown: isFollowed = false
            }
        }
        return found
    }
}
