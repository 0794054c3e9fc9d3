import TestSupport
import JSONRPC
import Testing

/// Nothing that a client may send crashes, and both readers agree on it.
@Suite struct `Fuzzing` {
    static let seeds = [
        #"{"jsonrpc":"2.0","id":12345,"method":"lab.set","params":{"value":42}}"#,
        #" {"id" : "a\u0041\ud834\udd1e\n" , "method":"l\"b", "params" : [ -1.5e+3 , [ ] , { } , true,false , null ] } "#,
        #"[{"jsonrpc":"2.0","method":"é€","params":[{"":"\\"}]},{"result":[[[1,2],{"a":{"b":0}}]]},1,"x"]"#,
        #"{"a":{"b":[{"c":"12345678\t12345678"},0.0,10e-2,-0]},"\u006dethod":"x","error":{"code":1}}"#,
    ].map { Array($0.utf8) }

    static let alphabet = Array("{}[]\",:\\u0dD89e.-+truefalsn \n\u{1}é".utf8) + [0xFF, 0xED, 0xA0, 0xF0, 0x80, 0x00]

    static func check(_ bytes: [UInt8], sourceLocation: SourceLocation = #_sourceLocation) {
        let naive = NaiveReader.read(bytes)
        let offset = syntaxError(bytes)
        #expect((offset == nil) == (naive != nil), "\(bytes)", sourceLocation: sourceLocation)
        bytes.withUnsafeBytes { text in
            if let offset {
                #expect(0...text.count ~= offset, sourceLocation: sourceLocation)
            } else if let value = try? JSONValue(parsing: text) {
                #expect(reduced(value) == naive.map(reduced), "\(bytes)", sourceLocation: sourceLocation)
                #expect(throws: Never.self) { try JSONValueDecoder.decode(JSONValue.self, from: text) }
                _ = try? JSONValueDecoder.decode(Bind.self, from: text)
                _ = try? JSONValueDecoder.decode([Shape].self, from: text)
            } else {
                Issue.record("one entry accepts what the other refuses: \(bytes)", sourceLocation: sourceLocation)
            }
            walk(text)
        }
    }

    /// What both readers' values come to: members sorted, the last of doubled ones.
    static func reduced(_ value: NaiveReader.Value) -> JSONValue {
        switch value {
        case .null: .null
        case .bool(let value): .bool(value)
        case .number(let text): .number(text)
        case .string(let text): .string(text)
        case .array(let elements): .array(elements.map(reduced))
        case .object(let members): .object(members.reduce(into: [:]) { $0[$1.0] = reduced($1.1) })
        }
    }

    static func reduced(_ value: JSONValue) -> JSONValue { value }

    /// Helpers over verified text must stay inside their bytes with any other, too.
    static func walk(_ text: Bytes) {
        _ = JSONText.kind(of: text)
        _ = JSONText.string(text)
        JSONText.forEachMember(of: text) { _, range in _ = text.part(range) }
        JSONText.forEachElement(of: text) { _ = text.part($0) }
    }

    @Test func `random bytes`() {
        var random = Seeded(1)
        for _ in 0..<4000 {
            let length = Int.random(in: 0...40, using: &random)
            Self.check((0..<length).map { _ in UInt8.random(in: 0...255, using: &random) })
            Self.check((0..<length).map { _ in Self.alphabet.randomElement(using: &random) ?? 0 })
        }
    }

    @Test func `mutated messages`() {
        var random = Seeded(2)
        for _ in 0..<8000 {
            var bytes = Self.seeds.randomElement(using: &random) ?? []
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let at = Int.random(in: 0..<max(1, bytes.count), using: &random)
                let byte = Self.alphabet.randomElement(using: &random) ?? 0
                switch Int.random(in: 0..<5, using: &random) {
                case 0 where !bytes.isEmpty: bytes[at] = byte
                case 1 where !bytes.isEmpty: bytes.remove(at: at)
                case 2: bytes.insert(byte, at: min(at, bytes.count))
                case 3 where !bytes.isEmpty: bytes.removeSubrange(at...)
                case 4:
                    let other = Self.seeds.randomElement(using: &random) ?? []
                    bytes.insert(
                        contentsOf: other.prefix(Int.random(in: 0...20, using: &random)),
                        at: min(at, bytes.count)
                    )
                default: break
                }
            }
            Self.check(bytes)
        }
    }

    @Test func `every beginning of a message is refused, unless it is one`() {
        for seed in Self.seeds {
            for length in 0...seed.count { Self.check(Array(seed.prefix(length))) }
        }
    }

    @Test func `envelopes say the same as a second reading of the members`() throws {
        var random = Seeded(3)
        let names = ["jsonrpc", "id", "method", "params", "result", "error", "other", #"\u0069d"#, #"m\u0065thod"#]
        let values = [#""2.0""#, "1", "null", #""x""#, "[1]", #"{"a":1}"#, "true", #""\u0032.0""#]
        for _ in 0..<20_000 {
            let members = (0..<Int.random(in: 0...6, using: &random)).map { _ in
                #""\#(names.randomElement(using: &random) ?? "")":\#(values.randomElement(using: &random) ?? "")"#
            }
            let text = "{\(members.joined(separator: ","))}"
            #expect(try envelope(text).kind == Self.kind(text), "\(text)")
        }
    }

    /// The rules of the protocol's section 2, once more and plainly.
    static func kind(_ text: String) -> Envelope.Kind {
        guard case .object(let members) = NaiveReader.read(Array(text.utf8)) else { return .invalid(.notAnObject) }
        func all(_ name: String) -> [NaiveReader.Value] { members.filter { $0.0 == name }.map(\.1) }
        if all("method").isEmpty, !all("result").isEmpty || !all("error").isEmpty { return .reply }
        if ["jsonrpc", "id", "method", "params"].contains(where: { all($0).count > 1 }) {
            return .invalid(.duplicateMember)
        }
        guard all("jsonrpc") == [.string("2.0")] else { return .invalid(.jsonrpc) }
        guard case .string = all("method").first else { return .invalid(.method) }
        switch all("params").first {
        case nil, .array, .object: break
        default: return .invalid(.params)
        }
        switch all("id").first {
        case nil: return .notification
        case .string, .number, .null: return .request
        default: return .invalid(.id)
        }
    }
}
