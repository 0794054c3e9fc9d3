/// SHA-256, the hash of FIPS 180-4.
///
/// It is our own, because a cryptographic library would cost every author's package minutes to build. Targets that encrypt
/// use that library.
package struct SHA256 {
    /// The size of a block, in bytes.
    static let blockSize = 64

    private var state = initialState
    /// The bytes of the block that is not complete.
    private var block: [UInt8] = []
    /// The length of the message so far, in bytes.
    private var count = 0
    /// The words of the block that is compressed.
    private var schedule = [UInt32](repeating: 0, count: blockSize)

    /// Begins a hash.
    package init() { block.reserveCapacity(Self.blockSize) }

    /// Returns the 32 bytes of the hash of a message.
    package static func hash(_ message: [UInt8]) -> [UInt8] {
        var hash = SHA256()
        hash.update(message)
        return hash.finalize()
    }

    /// Adds bytes to the message.
    package mutating func update(_ bytes: [UInt8]) {
        for byte in bytes {
            block.append(byte)
            count += 1
            if block.count == Self.blockSize { compress() }
        }
    }

    /// Returns the 32 bytes of the hash.
    package consuming func finalize() -> [UInt8] {
        // The padding: a set bit, then zeros up to the length of the message in bits, which ends the last block.
        let bits = UInt64(count) * 8
        update([0x80])
        update([UInt8](repeating: 0, count: (2 * Self.blockSize - 8 - block.count) % Self.blockSize))
        update((0..<8).map { UInt8(truncatingIfNeeded: bits >> (56 - 8 * $0)) })
        return state.flatMap { word in [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> $0) } }
    }

    private mutating func compress() {
        for index in 0..<16 {
            schedule[index] = block[4 * index..<4 * index + 4].reduce(0) { $0 << 8 | UInt32($1) }
        }
        block.removeAll(keepingCapacity: true)
        for index in 16..<Self.constants.count {
            let (former, latter) = (schedule[index - 15], schedule[index - 2])
            let first = Self.rotated(former, 7) ^ Self.rotated(former, 18) ^ former >> 3
            let second = Self.rotated(latter, 17) ^ Self.rotated(latter, 19) ^ latter >> 10
            schedule[index] = schedule[index - 16] &+ first &+ schedule[index - 7] &+ second
        }

        // The names a to h are those of the standard.
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        var (e, f, g, h) = (state[4], state[5], state[6], state[7])
        for (word, constant) in zip(schedule, Self.constants) {
            let choice = e & f ^ ~e & g
            let first =
                h &+ (Self.rotated(e, 6) ^ Self.rotated(e, 11) ^ Self.rotated(e, 25)) &+ choice &+ constant &+ word
            let majority = a & b ^ a & c ^ b & c
            let second = (Self.rotated(a, 2) ^ Self.rotated(a, 13) ^ Self.rotated(a, 22)) &+ majority
            (h, g, f, e, d, c, b, a) = (g, f, e, d &+ first, c, b, a, first &+ second)
        }
        for (index, word) in [a, b, c, d, e, f, g, h].enumerated() { state[index] &+= word }
    }

    private static func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 {
        word >> count | word << (32 - count)
    }

    /// The fractional parts of the square roots of the first eight primes.
    private static let initialState: [UInt32] = [
        0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
    ]

    /// The fractional parts of the cube roots of the first 64 primes.
    private static let constants: [UInt32] = [
        0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
        0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
        0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
        0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
        0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
        0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
        0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
        0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
    ]
}

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
