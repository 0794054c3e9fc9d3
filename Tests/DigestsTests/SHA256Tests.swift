import Digests
import Testing

@Suite struct `SHA-256` {
    /// The examples of NIST for FIPS 180-4, and lengths around the end of a block.
    static let vectors: [(String, Int, String)] = [
        ("", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
        (
            "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
            1, "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
        ),
        ("a", 1_000_000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
        ("x", 55, "d5e285683cd4efc02d021a5c62014694958901005d6f71e89e0989fac77e4072"),
        ("x", 56, "04c26261370ee7541549d16dee320c723e3fd14671e66a099afe0a377c16888e"),
        ("x", 63, "75220b47218278e656f2013bb8f0c455a25eaf01e86c64924e9d48d89776d6f2"),
        ("x", 64, "7ce100971f64e7001e8fe5a51973ecdfe1ced42befe7ee8d5fd6219506b5393c"),
        ("x", 65, "9537c5fdf120482f7d58d25e9ed583f52c02b4e304ea814db1633ad565aed7e9"),
        ("x", 119, "000b48d4edf0fa7bee3c6236ecd2785baa5db4eeb8bb54341b029e0d9fa5fb0c"),
        ("x", 120, "13f05a0b594787f5ecd315edc96141bd3243203d1b7d4f0836f37308b276ba98"),
    ]

    @Test(arguments: vectors)
    func `A message has the hash of the standard`(_ part: String, _ count: Int, _ hash: String) {
        let message = [UInt8](String(repeating: part, count: count).utf8)
        #expect(SHA256.hash(message).hexadecimal == hash)
        var parts = SHA256()
        for start in stride(from: 0, to: message.count, by: 7) {
            parts.update(Array(message[start..<min(start + 7, message.count)]))
        }
        #expect(parts.finalize().hexadecimal == hash)
    }
}

@Suite struct `HMAC with SHA-256` {
    /// The examples 1, 2, 3 and 6 of RFC 4231, and keys with the length of a block and one byte more.
    @Test(arguments: [
        (
            [UInt8](repeating: 0x0B, count: 20), [UInt8]("Hi There".utf8),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        ),
        (
            [UInt8]("Jefe".utf8), [UInt8]("what do ya want for nothing?".utf8),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        (
            [UInt8](repeating: 0xAA, count: 20), [UInt8](repeating: 0xDD, count: 50),
            "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
        ),
        (
            [UInt8](repeating: 0xAA, count: 64), [UInt8]("Hi There".utf8),
            "ebef34e13d0a0fe04593d043bc7a865106db0604211d404c18206d862e5d7852"
        ),
        (
            [UInt8](repeating: 0xAA, count: 65), [UInt8]("Hi There".utf8),
            "00af6c42340b99e2e1d9a1cdf1547be431fe2e9bab3215c68d013ba858891927"
        ),
        (
            [UInt8](repeating: 0xAA, count: 131),
            [UInt8]("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        ),
    ])
    func `A message has the code of the standard`(_ key: [UInt8], _ message: [UInt8], _ code: String) {
        #expect(HMAC.code(for: message, key: key).hexadecimal == code)
    }
}
