import Crypto
import FoundationEssentials

/// A key of the vault and its id.
struct VaultKey: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    static let byteCount = 32

    /// Tells keys apart and says nothing about them.
    let id: String
    let symmetric: SymmetricKey

    init(_ symmetric: SymmetricKey) {
        self.symmetric = symmetric
        let code = HMAC<SHA256>.authenticationCode(for: Data("viewmodeld vault key id".utf8), using: symmetric)
        id = code.prefix(8).map { byte in
            let digits = String(byte, radix: 16)
            return byte < 16 ? "0" + digits : digits
        }.joined()
    }

    /// Reads 32 bytes in base64, with white space around them; nil for anything else.
    init?(base64 text: [UInt8]) {
        let text = String(decoding: text, as: UTF8.self).filter { !$0.isWhitespace }
        guard let data = Data(base64Encoded: text), data.count == Self.byteCount else { return nil }
        self.init(SymmetricKey(data: data))
    }

    /// A new one.
    static func random() -> VaultKey {
        VaultKey(SymmetricKey(size: .bits256))
    }

    /// A line of base64.
    var line: [UInt8] {
        Array(symmetric.withUnsafeBytes { Data($0) }.base64EncodedString().utf8) + [UInt8(ascii: "\n")]
    }

    var description: String { "<key \(id)>" }
    var debugDescription: String { description }
    var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// The keys that are at hand.
struct Keyring: Sendable {
    /// What is encrypted with.
    private(set) var current: VaultKey
    /// What was encrypted with before, or will be next.
    private(set) var others: [VaultKey] = []

    /// Whether the current key outlasts the process.
    private(set) var isSaved: Bool

    init(current: VaultKey) {
        self.current = current
        isSaved = true
    }

    /// A keyring whose key is in no file yet.
    init(unsaved key: VaultKey) {
        current = key
        isSaved = false
    }

    mutating func noteSaved() {
        isSaved = true
    }

    subscript(id: String) -> VaultKey? {
        current.id == id ? current : others.first { $0.id == id }
    }

    mutating func add(_ key: VaultKey) {
        others.append(key)
    }

    /// Encrypts with `key` from now on; the former one stays for reading.
    mutating func replace(with key: VaultKey) {
        others = [current]
        current = key
    }
}
