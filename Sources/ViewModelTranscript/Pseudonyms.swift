import Digests
import ViewModelContract
import ViewModelProtocol

/// The pseudonyms of the secrets in one transcript.
///
/// Equal secrets have equal pseudonyms. A pseudonym depends on a random key that is never written, so that a secret
/// cannot be found by hashing the words of a dictionary, and two transcripts have different pseudonyms for it.
struct Pseudonyms {
    /// The beginning of each pseudonym.
    static let prefix = "secret-"
    /// The shortest secret that is also looked for outside of its declared places, in bytes.
    ///
    /// A shorter one, such as the first letters of a password that is being typed, is a part of too many other texts.
    static let shortestKnown = 6
    /// The longest such secret, in bytes.
    private static let longestKnown = 4096
    /// The number of the newest secrets that are looked for; before some are forgotten, they are up to twice as many.
    private static let maximumKnown = 256

    private let key = [UInt8].random(count: 32)
    /// The secrets that were seen, the oldest first.
    private var known: [(pseudonym: String, forms: [Form])] = []
    /// The forms of the known secrets by their first six bytes, the longest first.
    private var forms: [UInt64: [Form]] = [:]
    /// Whether a form has each first byte.
    private var firstBytes = Self.noBytes
    private static let noBytes = [Bool](repeating: false, count: 256)

    /// A text that is replaced.
    private struct Form {
        let text: [UInt8]
        let pseudonym: String
        let hash: UInt64
        /// The base of the hash to the power of the length.
        let power: UInt64

        init(text: [UInt8], pseudonym: String) {
            self.text = text
            self.pseudonym = pseudonym
            hash = Pseudonyms.hashes(of: text).last ?? 0
            power = text.reduce(1) { power, _ in power &* Pseudonyms.base }
        }
    }

    private static let base = UInt64.random(in: .min ... .max) | 1

    /// Returns the hashes of the beginnings of a text, by their length.
    ///
    /// The hash of a part follows from those of two beginnings, so that a comparison of a long secret costs a step.
    private static func hashes(of bytes: [UInt8]) -> [UInt64] {
        var hashes: [UInt64] = [0]
        hashes.reserveCapacity(bytes.count + 1)
        var hash: UInt64 = 0
        for byte in bytes {
            hash = hash &* base &+ UInt64(byte) &+ 1
            hashes.append(hash)
        }
        return hashes
    }

    /// Remembers a secret, which is looked for in all later messages, unless it is a name.
    ///
    /// It is also found in upper and in lower case, and as a token of a JSON Pointer.
    mutating func learn(_ secret: String, unless isName: (String) -> Bool) {
        let pseudonym = pseudonym(of: secret)
        guard secret.utf8.count <= Self.longestKnown, !isName(secret) else { return }
        if known.contains(where: { $0.pseudonym == pseudonym }) { return }
        // A daemon that turns the pseudonym into upper case while the transcript is replayed sends the same text.
        let texts = [
            (secret, pseudonym), (secret.uppercased(), pseudonym.uppercased()), (secret.lowercased(), pseudonym),
            (JSONPointer(tokens: [secret]).description.dropFirst().description, pseudonym),
        ]
        var made: [Form] = []
        for (text, pseudonym) in texts where text.utf8.count >= Self.shortestKnown && !isName(text) {
            let form = Form(text: Array(text.utf8), pseudonym: pseudonym)
            if !made.contains(where: { $0.text == form.text }) { made.append(form) }
        }
        known.append((pseudonym, made))
        // Half of the secrets are forgotten at once, so that a list of secrets does not rebuild the table for each.
        guard known.count > 2 * Self.maximumKnown else { return made.forEach { add($0) } }
        known.removeFirst(Self.maximumKnown)
        (forms, firstBytes) = ([:], Self.noBytes)
        for form in known.flatMap(\.forms) { add(form) }
    }

    private mutating func add(_ form: Form) {
        let start = Self.start(of: form.text, at: 0)
        let others = forms[start] ?? []
        let index = others.firstIndex { $0.text.count < form.text.count } ?? others.count
        forms[start, default: []].insert(form, at: index)
        firstBytes[Int(form.text[0])] = true
    }

    /// Returns the six bytes at an offset as a number.
    private static func start(of bytes: [UInt8], at offset: Int) -> UInt64 {
        bytes[offset..<offset + shortestKnown].reduce(0) { $0 << 8 | UInt64($1) }
    }

    func pseudonym(of secret: String) -> String {
        Self.prefix + HMAC.code(for: Array(secret.utf8), key: key).prefix(8).hexadecimal
    }

    var isEmpty: Bool { known.isEmpty }

    /// Returns a text with the known secrets and the passwords of URLs replaced, or nil if it has none.
    func replacing(in text: String) -> String? {
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        var copied = 0
        var position = 0
        var password = 0..<0
        let hashes = isEmpty ? [] : Self.hashes(of: bytes)
        func replace(to end: Int, with pseudonym: String) {
            result += bytes[copied..<position]
            result += pseudonym.utf8
            (copied, position) = (end, end)
        }
        while position < bytes.count {
            if let found = Self.password(in: bytes, at: position) { password = found }
            if password.contains(position) {
                let secret = String(decoding: bytes[position..<password.upperBound], as: UTF8.self)
                replace(to: password.upperBound, with: pseudonym(of: secret))
            } else if let form = form(in: bytes, hashes, at: position) {
                replace(to: position + form.text.count, with: form.pseudonym)
            } else {
                position += 1
            }
        }
        guard copied > 0 else { return nil }
        return String(decoding: result + bytes[copied...], as: UTF8.self)
    }

    /// Returns the longest known form that begins at an offset.
    private func form(in bytes: [UInt8], _ hashes: [UInt64], at offset: Int) -> Form? {
        // Most bytes begin no secret.
        guard firstBytes[Int(bytes[offset])], offset + Self.shortestKnown <= bytes.count else { return nil }
        return forms[Self.start(of: bytes, at: offset)]?.first { form in
            let end = offset + form.text.count
            return end <= bytes.count && hashes[end] &- hashes[offset] &* form.power == form.hash
                && bytes[offset...].starts(with: form.text)
        }
    }

    /// Returns the position of the password of a URL such as `https://user:password@host`, whose `://` is at an offset.
    private static func password(in bytes: [UInt8], at offset: Int) -> Range<Int>? {
        guard bytes[offset] == UInt8(ascii: ":"), bytes[offset...].starts(with: "://".utf8) else { return nil }
        let begin = offset + 3
        let end = bytes[begin...].firstIndex { $0 <= 0x20 || "/?#\"<>".utf8.contains($0) } ?? bytes.count
        guard let at = bytes[begin..<end].lastIndex(of: UInt8(ascii: "@")),
            let colon = bytes[begin..<at].firstIndex(of: UInt8(ascii: ":")), colon + 1 < at
        else { return nil }
        return colon + 1..<at
    }
}
