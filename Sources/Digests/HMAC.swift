/// HMAC with SHA-256 (RFC 2104).
///
/// Only a holder of the key can make or check the code of a message.
package enum HMAC {
    /// Returns the 32 bytes of the code of a message.
    package static func code(for message: [UInt8], key: [UInt8]) -> [UInt8] {
        var padded = key.count > SHA256.blockSize ? SHA256.hash(key) : key
        padded += [UInt8](repeating: 0, count: SHA256.blockSize - padded.count)
        var inner = SHA256()
        inner.update(padded.map { $0 ^ 0x36 })
        inner.update(message)
        return SHA256.hash(padded.map { $0 ^ 0x5C } + inner.finalize())
    }
}
