import Digests
import FoundationEssentials

/// A key of the vault with its id.
package struct VaultKey: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    static let byteCount = 32

    /// A prefix of an HMAC under the key.
    ///
    /// It distinguishes keys and reveals nothing about them.
    package let id: String
    /// The 32 bytes of the key, for encryption.
    package let bytes: [UInt8]

    private init(_ bytes: [UInt8]) {
        self.bytes = bytes
        id = HMAC.code(for: Array("viewmodeld vault key id".utf8), key: bytes).prefix(8).hexadecimal
    }

    /// Returns the id and a code of a text, under a key that is derived from this one.
    ///
    /// The code reveals nothing about the text without the key.
    func digest(of text: [UInt8]) -> [UInt8] {
        Array(id.utf8) + HMAC.code(for: text, key: HMAC.code(for: Array("viewmodeld retry keys".utf8), key: bytes))
    }

    /// Parses 32 bytes in base64 and ignores white space.
    ///
    /// Returns nil for any other text.
    package init?(base64 text: [UInt8]) {
        let text = String(decoding: text, as: UTF8.self).filter { !$0.isWhitespace }
        guard let data = Data(base64Encoded: text), data.count == Self.byteCount else { return nil }
        self.init(Array(data))
    }

    package static func random() -> VaultKey {
        VaultKey(.random(count: byteCount))
    }

    /// The key in base64 with a line feed.
    package var line: [UInt8] { Array(Data(bytes).base64EncodedString().utf8) + [UInt8(ascii: "\n")] }

    package var description: String { "<key \(id)>" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}

package struct Keyring: Sendable {
    /// The key for encryption.
    package private(set) var current: VaultKey
    /// The former key, or the next one during a rotation.
    ///
    /// They are used for decryption.
    private var others: [VaultKey] = []

    /// Whether the current key is in a file, and not only in memory.
    package internal(set) var isSaved: Bool

    init(_ current: VaultKey, isSaved: Bool = true) {
        self.current = current
        self.isSaved = isSaved
    }

    package subscript(id: String) -> VaultKey? {
        current.id == id ? current : others.first { $0.id == id }
    }

    package mutating func add(_ key: VaultKey) {
        others.append(key)
    }

    /// Makes `key` the current one.
    ///
    /// The former one stays available for decryption.
    package mutating func replace(with key: VaultKey) {
        others = [current]
        current = key
    }
}
