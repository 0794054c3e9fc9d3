import Crypto
import ViewModelContract

/// The pseudonyms of the secrets in one transcript.
///
/// Equal secrets have equal pseudonyms. A pseudonym depends on a random key that is never written, so that a secret
/// cannot be found by hashing the words of a dictionary, and two transcripts have different pseudonyms for it.
struct Pseudonyms {
    /// The beginning of each pseudonym.
    static let prefix = "secret-"
    /// The shortest secret that is also looked for outside of its declared places.
    ///
    /// A shorter one, such as the first letters of a password that is being typed, is a part of too many other texts.
    private static let shortestKnown = 6
    /// The number of secrets that are looked for; the newest ones.
    private static let maximumKnown = 256

    private let key = SymmetricKey(size: .bits256)
    /// The secrets that were seen, the oldest first.
    private var known: [(text: [UInt8], pseudonym: String)] = []
    private var isKnown: Set<String> = []

    /// Remembers a secret, which is looked for in all later messages.
    mutating func learn(_ secret: String) {
        let pseudonym = pseudonym(of: secret)
        guard secret.utf8.count >= Self.shortestKnown, isKnown.insert(pseudonym).inserted else { return }
        known.append((Array(secret.utf8), pseudonym))
        if known.count > Self.maximumKnown { isKnown.remove(known.removeFirst().pseudonym) }
    }

    /// Returns the pseudonym of a secret.
    func pseudonym(of secret: String) -> String {
        Self.prefix + HMAC<SHA256>.authenticationCode(for: Array(secret.utf8), using: key).prefix(8).hexadecimal
    }

    /// Whether there is no secret to look for.
    var isEmpty: Bool { known.isEmpty }

    /// Returns a text with the known secrets and the passwords of URLs replaced, or nil if it has none.
    func replacing(in text: String) -> String? {
        var bytes = Array(text.utf8)
        var isChanged = replaceUserInfo(in: &bytes)
        // Longer secrets first: a password contains what was typed before its last letter.
        let secrets = known.sorted { $0.text.count > $1.text.count }
        var start = 0
        while start < bytes.count {
            if let secret = secrets.first(where: { bytes[start...].starts(with: $0.text) }) {
                bytes.replaceSubrange(start..<start + secret.text.count, with: secret.pseudonym.utf8)
                start += secret.pseudonym.utf8.count
                isChanged = true
            } else {
                start += 1
            }
        }
        return isChanged ? String(decoding: bytes, as: UTF8.self) : nil
    }

    /// Replaces the passwords of URLs such as `https://user:password@host`.
    private func replaceUserInfo(in bytes: inout [UInt8]) -> Bool {
        var isChanged = false
        var start = 0
        while let scheme = Self.find(Array("://".utf8), in: bytes, from: start) {
            let begin = scheme + 3
            let end = bytes[begin...].firstIndex { $0 <= 0x20 || "/?#\"<>".utf8.contains($0) } ?? bytes.count
            start = begin
            guard let at = bytes[begin..<end].lastIndex(of: UInt8(ascii: "@")),
                let colon = bytes[begin..<at].firstIndex(of: UInt8(ascii: ":")), colon + 1 < at
            else { continue }
            let password = String(decoding: bytes[colon + 1..<at], as: UTF8.self)
            bytes.replaceSubrange(colon + 1..<at, with: pseudonym(of: password).utf8)
            isChanged = true
        }
        return isChanged
    }

    private static func find(_ wanted: [UInt8], in bytes: [UInt8], from start: Int) -> Int? {
        guard bytes.count - start >= wanted.count else { return nil }
        return (start...bytes.count - wanted.count).first { bytes[$0...].starts(with: wanted) }
    }
}
