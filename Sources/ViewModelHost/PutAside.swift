import Logging
import ViewModelProtocol

/// The names of saved values that the code could not read, and that another value would have overwritten.
///
/// They are values like others, so that each store, a backup and a copy of a store keep them.
extension SavedValue.Key {
    /// The beginning of the names.
    ///
    /// No author names a value so.
    private static let prefix = "\u{1}aside "
    /// The most values that are put aside under one name; then no value overwrites the one that has the name.
    static let mostAside = 8

    private func aside(_ number: Int) -> Self { Self(owner: owner, name: "\(Self.prefix)\(number) \(name)") }

    var isAside: Bool { name.hasPrefix(Self.prefix) }

    /// Whether the host itself has made the name.
    var isOfHost: Bool { name.hasPrefix("\u{1}") }

    /// The key of the number of migrations that the values of an object have passed.
    static func version(of owner: String) -> Self { Self(owner: owner, name: "\u{1}version") }

    /// The key of the id of the instance that has opened another one.
    static func opener(of instance: String) -> Self { Self(owner: instance, name: "\u{1}opener") }

    /// The beginning of the names of values of another version than the one that the object's values have.
    private static let versioned = "\u{1}aside-of "

    /// Whether the value counts towards `limits.savedBytesPerSession`.
    ///
    /// What is put aside was counted when it was saved. Only another version of the code adds to it, so clients cannot. If
    /// it was counted still, a session near the limit would not be saved any more.
    package var isCounted: Bool { !name.hasPrefix("\u{1}aside") }

    /// Returns the key of a value of another version.
    ///
    /// Number 0 is the value that had the name, and the others were put aside under it.
    func of(_ version: Int, _ number: Int) -> Self {
        Self(owner: owner, name: "\(Self.versioned)\(version) \(number) \(name)")
    }

    /// The place of a value under its name: 0 for the value that has the name, others for those put aside, the latest first.
    ///
    /// The version is nil for the one that the object's values have. The place is nil for a name of the host.
    var place: (version: Int?, number: Int)? {
        guard isOfHost else { return (nil, 0) }
        let words = name.split(separator: " ", maxSplits: 3)
        if isAside { return words.count > 2 ? Int(words[1]).map { (nil, Self.mostAside + 1 - $0) } : nil }
        guard name.hasPrefix(Self.versioned), words.count > 3, let number = Int(words[2]) else { return nil }
        return Int(words[1]).map { ($0, number) }
    }

    /// The name that the value had in the code.
    var authorName: String {
        let words = isAside ? 2 : name.hasPrefix(Self.versioned) ? 3 : 0
        return words == 0 ? name : name.split(separator: " ", maxSplits: words).last.map(String.init) ?? name
    }

    /// The key of the value itself.
    var named: Self { Self(owner: owner, name: authorName) }

    /// The name in the code, without a key below it.
    var shownName: String { String(authorName.prefix { $0 != "\u{1}" }) }

    /// Returns the values that were put aside under this name, and then those of former names.
    func others(formerly names: [String], _ value: (Self) -> [UInt8]?) -> [(Self, [UInt8])] {
        let former = names.flatMap { name in
            let key = Self(owner: owner, name: name)
            return (value(key).map { [(key, $0)] } ?? []) + key.asides(value)
        }
        return asides(value) + former
    }

    /// Returns the values that were put aside under this name, the latest first.
    private func asides(_ value: (Self) -> [UInt8]?) -> [(key: Self, text: [UInt8])] {
        (1...Self.mostAside).reversed().compactMap { number in
            let key = aside(number)
            return value(key).map { (key, $0) }
        }
    }

    /// Returns the name under which a text of this name is put aside, or was before; nil if there is no place.
    ///
    /// A text of another version stays one of that version.
    func aside(for text: [UInt8], _ value: (Self) -> [UInt8]?) -> Self? {
        let named = named
        if let version = place?.version {
            return (1...).lazy.map { named.of(version, $0) }.first { [nil, text].contains(value($0)) }
        }
        return named.asides(value).first { $0.text == text }?.key
            ?? (1...Self.mostAside).map(named.aside).first { value($0) == nil }
    }
}

/// Reports of saved values that the code does not read.
extension Host {
    /// Logs a saved value or instance that stays in the store because the code does not read it, and adds it to the
    /// daemon's health.
    ///
    /// Each name is logged once, and once more with a problem that replaces another one.
    func report(unread name: String, _ problem: String, _ metadata: Logger.Metadata, isReplacing: Bool = false) {
        guard health.add(UnreadValue(value: name, problem: problem), isReplacing: isReplacing) else { return }
        logger.warning(
            "A saved value does not fit the code any more; it is kept aside until the code reads it",
            metadata: metadata.merging(["value": "\(name)", "problem": "\(problem)"]) { $1 }
        )
    }

    /// Sets the saved values of an area, unless it has been loaded before, and reports those of unknown types.
    package func load(_ values: [SavedValue.Key: [UInt8]]?, of area: ValueArea) {
        lasting.load(values, of: area)
        for key in (values ?? [:]).keys where key.place != nil && !isKnown(owner: key.owner) {
            report(unread: "\(key.owner).\(key.shownName)", "no class is called \(key.owner)", area.metadata)
        }
    }

    /// Returns whether a class of the catalog has, or had, a name; a factory of the author may make any shared model.
    func isKnown(owner: String) -> Bool {
        guard !owner.hasPrefix("shared ") else { return sharedOwners?.contains(owner) ?? true }
        return types[ExactString(owner)] != nil || formerTypes[ExactString(owner)] != nil
    }
}
