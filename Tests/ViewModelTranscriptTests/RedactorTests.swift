import JSONRPC
import TestSupport
import Testing
import ViewModelContract

@testable import ViewModelTranscript

@Suite struct `Secrets in a transcript` {
    private static let secret = "correct horse"

    private static let document = #"""
        {"methods": [{"name": "session.attach"}, {"name": "viewModel.open"}, {"name": "viewModel.bind"}],
         "components": {"schemas": {"Node": {"type": "object", "properties": {
           "pin": {"type": "string", "format": "password"},
           "next": {"anyOf": [{"$ref": "#/components/schemas/Node"}, {"type": "null"}]}}}}},
         "x-viewModels": {
           "login": {
             "arguments": {"type": "object", "properties": {"token": {"type": "string", "format": "password"}}},
             "inputs": {"password": {"schema": {"type": "string", "format": "password"}},
                        "account": {"schema": {"type": "string"}}},
             "outputs": {
               "chain": {"kind": "state", "schema": {"$ref": "#/components/schemas/Node"}},
               "keys": {"kind": "list", "schema": {"type": "array", "items": {"type": "object", "properties": {
                 "id": {"type": "integer"}, "code": {"type": "string", "format": "password"}}}}},
               "told": {"kind": "event", "schema": {"anyOf": [{"type": "string", "format": "password"}]}},
               "text": {"kind": "state", "schema": {"type": "string"}}},
             "actions": {"register": {
               "params": {"type": "object", "properties": {"account": {"type": "string"},
                 "password": {"type": "string", "format": "password"}}},
               "result": {"type": "object", "properties": {"token": {"type": "string", "format": "password"}}},
               "errors": [{"error": "weak", "details": {"type": "array",
                 "items": {"type": "string", "format": "password"}}}]}, "reset": {}},
             "children": {"form": "login"}},
           "page": {"arguments": {"type": "object", "properties": {"title": {"type": "string"}}}},
           "bare": {"inputs": {"note": {"schema": {}}}}}}
        """#

    private let redactor: Redactor

    init() throws {
        let document = try #require(JSONValue(text: Self.document))
        redactor = Redactor(contract: Contract(ofDaemon: document))
    }

    private func redacted(_ message: String, isFromClient: Bool = true) -> String {
        switch redactor.redact(Array(message.utf8), isFromClient: isFromClient, on: 1) {
        case .sent(let text), .received(let text): text
        case .unreadable(let reason): "! " + reason
        case .opened, .closed: ""
        }
    }

    /// Returns the pseudonym in a redacted text.
    private func pseudonym(in text: String) throws -> String {
        String(try #require(text.firstMatch(of: /secret-[0-9a-f]{16}/)).output)
    }

    @Test func `are found in the reply to a request whose id another one resembles`() {
        _ = redacted("{\"jsonrpc\":\"2.0\",\"id\":\"\u{E9}\",\"method\":\"login.register\",\"params\":{}}")
        _ = redacted("{\"jsonrpc\":\"2.0\",\"id\":\"e\u{301}\",\"method\":\"login.account\",\"params\":[\"a\"]}")
        let reply = "{\"jsonrpc\":\"2.0\",\"id\":\"\u{E9}\",\"result\":{\"token\":\"\(Self.secret)\"}}"
        #expect(!redacted(reply, isFromClient: false).contains(Self.secret))
    }

    @Test(arguments: [
        #"{"jsonrpc":"2.0","id":1,"method":"login.password","params":["correct horse"]}"#,
        #"{"jsonrpc":"2.0","id":1,"method":"login.password","params":{"value":"correct horse"}}"#,
        #"{"jsonrpc":"2.0","id":1,"method":"login.password","params":{"vaule":"correct horse"}}"#,
        #"{"jsonrpc":"2.0","id":1,"method":"login.password","params":{"value":{"deep":["correct horse"]}}}"#,
        #"{"jsonrpc":"2.0","method":"login.password","params":["\u0063orrect\u0020horse"]}"#,
        #"{"jsonrpc":"2.0","method":"login.\u0070assword","params":["correct horse"]}"#,
        #"{"jsonrpc":"2.0","method":"mine.password","params":["correct horse"]}"#,
        #"{"jsonrpc":"2.0","method":"login.form.password","params":["correct horse"]}"#,
        #"{"jsonrpc":"2.0","method":"login.pasword","params":["correct horse"]}"#,
        #"{"jsonrpc":"2.0","method":"login.register","params":{"account":"a","password":"correct horse"}}"#,
        #"{"jsonrpc":"2.0","method":"login.register","params":{"account":"a","passwrd":"correct horse"}}"#,
        #"{"jsonrpc":"2.0","method":"login.register","params":["a","correct horse"]}"#,
        #"{"jsonrpc":"2.0","method":"viewModel.open","params":{"type":"login","arguments":{"token":"correct horse"}}}"#,
        #"{"jsonrpc":"2.0","method":"viewModel.open","params":{"type":"lgin","arguments":{"token":"correct horse"}}}"#,
        #"[{"jsonrpc":"2.0","id":7,"method":"login.password","params":["correct horse"]},{"a":"correct horse"}]"#,
        #"{"jsonrpc":"2.0","method":1,"params":["correct horse"]}"#,
        #"{"jsonrpc":"2.0","method":"a","method":"login.password","params":["correct horse"]}"#,
        #"{"jsonrpc":"2.0","id":1,"result":"correct horse"}"#,
        #"{"jsonrpc":"2.0","method":"login.register","params":{"correct horse":"x"}}"#,
        #"{"jsonrpc":"2.0","method":"login.register","params":{ "\u0063orrect \"\\horse" : {"correct horse" :1}}}"#,
        #"{"jsonrpc":"2.0","method":"login.password","params":{"value":{"correct horse":1}}}"#,
        #"{"jsonrpc":"2.0","method":"login.password","params":[{"correct":{"horse":[]}}]}"#,
        #"{"jsonrpc":"2.0","method":"login.nothing","params":{"correct horse":null}}"#,
        #"{"jsonrpc":"2.0","method":"login.account","params":["a"],"correct horse":true}"#,
        #"{"jsonrpc":"2.0","method":"session.attach","params":{"session":"desk","correct horse":"correct horse"}}"#,
        #"{"jsonrpc":"2.0","method":"session.attach","params":{"client":{"name":"a","correct":{"horse":1}}}}"#,
        #"{"jsonrpc":"2.0","method":"session.attach","params":["correct horse"]}"#,
        #"{"jsonrpc":"2.0","method":"session.close","params":{"uid":{"correct horse":1}}}"#,
        #"{"jsonrpc":"2.0","method":"viewModel.open","params":{"type":"login","arguments":{"correct":"horse"}}}"#,
        #"{"jsonrpc":"2.0","method":"viewModel.open","params":{"type":"bare","arguments":{"correct":"horse"}}}"#,
        #"{"jsonrpc":"2.0","method":"mock.on","params":{"member":"login.account","correct horse":1}}"#,
        #"{"jsonrpc":"2.0","method":"mock.on","params":{"member":"login.account","set":{"correct horse":1}}}"#,
        #"{"jsonrpc":"2.0","method":"login.account","params":{"value":"a","_meta":{"correct horse":1}}}"#,
        #"{"jsonrpc":"2.0","method":"login.account","params":{"value":"a","_meta":{"key":{"correct":"horse"}}}}"#,
        #"{"jsonrpc":"2.0","method":"login.account","params":{"value":"a","_meta":"correct horse"}}"#,
        #"{"jsonrpc":"2.0","method":"session.attach","params":{"_meta":{"correct horse":1}}}"#,
        #"{"jsonrpc":"2.0","method":"mock.reset","params":{"_meta":{"correct horse":1}}}"#,
        #"{"jsonrpc":"2.0","id":{"correct":"horse"},"method":"login.account","params":["a"]}"#,
        #"{"jsonrpc":"correct horse","id":1,"method":"login.account","params":["a"]}"#,
        #"{"jsonrpc":"2.0","method":"login.password","params":"correct horse"}"#,
        #"{"jsonrpc":"2.0","method":"session.attach","params":"correct horse"}"#,
        #"{"jsonrpc":"2.0","method":"login.reset","params":{"value":"correct horse"}}"#,
        #"{"jsonrpc":"2.0","method":"login.reset","params":["correct horse"]}"#,
        #"{"jsonrpc":"2.0","method":"viewModel.bind","params":{"id":"login","windows":{"correct horse":{}}}}"#,
        #"{"jsonrpc":"2.0","method":"viewModel.open","params":{"type":"page","arguments":{"correct":"horse"}}}"#,
        #"{"jsonrpc":"2.0","method":"viewModel.open","params":{"type":"page","arguments":"correct horse"}}"#,
        #""correct horse""#,
        #"{"jsonrpc":"2.0","method":"login.password","params":["correct horse"]"#,
        #"login.password correct horse"#,
        // The script of a mock.
        #"{"id":1,"method":"mock.set","params":{"output":"login.chain","value":{"pin":"correct horse"}}}"#,
        #"{"id":1,"method":"mock.set","params":{"output":"mine.chain","value":{"next":{"pin":"correct horse"}}}}"#,
        #"{"id":1,"method":"mock.set","params":{"output":"login.form.chain","value":{"pin":"correct horse"}}}"#,
        #"{"id":1,"method":"mock.set","params":{"output":"login.told","value":"correct horse"}}"#,
        #"{"id":1,"method":"mock.set","params":{"output":"login.tolt","value":"correct horse"}}"#,
        #"{"id":1,"method":"mock.set","params":{"output":"login.text","valeu":"correct horse"}}"#,
        #"{"id":1,"method":"mock.set","params":["correct horse"]}"#,
        #"{"id":1,"method":"mock.on","params":{"member":"login.register","result":{"token":"correct horse"}}}"#,
        #"{"id":1,"method":"mock.on","params":{"member":"login.registre","result":{"token":"correct horse"}}}"#,
        #"{"id":1,"method":"mock.on","params":{"member":"login.register","failure":{"error":"weak","details":["correct horse"]}}}"#,
        #"{"id":1,"method":"mock.on","params":{"member":"login.register","failure":"correct horse"}}"#,
        #"{"id":1,"method":"mock.on","params":{"member":"login.password","refusal":{"expected":"a","found":"correct horse"}}}"#,
        #"{"id":1,"method":"mock.on","params":{"member":"login.register","set":{"login.chain":{"pin":"correct horse"}}}}"#,
        #"{"id":1,"method":"mock.on","params":{"member":"login.register","set":["correct horse"]}}"#,
        #"{"id":1,"method":"mock.reset","params":{"token":"correct horse"}}"#,
    ])
    func `A client's message leaves no secret`(_ message: String) {
        let text = redacted(message)
        #expect(!text.contains("horse") && !text.contains("correct"), "\(text)")
    }

    @Test func `The script of a mock stays as it crossed, and so do its calls and its errors`() {
        for message in [
            #"{"id":1,"method":"mock.set","params":{"output":"login.text","value":"Nine","_meta":{"key":"k"}}}"#,
            #"{"id":2,"method":"mock.set","params":{"output":"login.register.enabled","value":false}}"#,
            #"{"id":3,"method":"mock.on","params":{"member":"login.register","call":2,"delay":20,"progress":[0.5],"set":{"login.text":"a"}}}"#,
            #"{"id":4,"method":"mock.on","params":{"member":"login.register","failure":{"error":"none","message":"No","retryable":true}}}"#,
            #"{"id":5,"method":"mock.on","params":{"member":"login.account","refusal":{"path":"","expected":"a","found":"b"}}}"#,
            #"{"id":6,"method":"mock.reset"}"#,
        ] { #expect(redacted(message) == message) }
        for message in [
            #"{"id":1,"result":{"seq":4}}"#,
            #"{"id":3,"error":{"code":-32602,"message":"","data":{"path":"/member","expected":"a","found":"\"b\""}}}"#,
            #"{"method":"viewModel.changed","params":{"id":"mock","values":{"calls":[{"id":1,"params":{"password":"<password>"}}]}}}"#,
        ] { #expect(redacted(message, isFromClient: false) == message) }
        for path in ["/membr", "/failure/detail", "/set", "/result"] {
            _ = redacted(#"{"id":4,"method":"mock.on","params":{}}"#)
            let error = #"{"id":4,"error":{"code":-32602,"message":"","data":{"path":"\#(path)","found":"horse"}}}"#
            #expect(!redacted(error, isFromClient: false).contains("horse"), "\(path)")
        }
    }

    @Test func `A daemon's message leaves no secret in its declared places`() {
        _ = redacted(#"{"jsonrpc":"2.0","id":1,"method":"login.register","params":{}}"#)
        _ = redacted(#"{"jsonrpc":"2.0","id":2,"method":"login.register","params":{}}"#)
        _ = redacted(#"{"jsonrpc":"2.0","id":3,"method":"login.password","params":{}}"#)
        _ = redacted(#"{"jsonrpc":"2.0","id":4,"method":"viewModel.bind","params":{"id":"login"}}"#)
        _ = redacted(#"{"jsonrpc":"2.0","id":5,"method":"login.account","params":{}}"#)
        _ = redacted(#"{"jsonrpc":"2.0","id":6,"method":"viewModel.open","params":{"type":"login","arguments":{}}}"#)
        let messages = [
            #"{"jsonrpc":"2.0","id":1,"result":{"token":"horse"}}"#,
            #"{"jsonrpc":"2.0","id":2,"error":{"code":-32000,"message":"","data":{"error":"weak","details":["horse"]}}}"#,
            #"{"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"","data":{"path":"/value","found":"horse"}}}"#,
            #"{"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"","data":{"path":"/pin","found":"horse"}}}"#,
            #"{"jsonrpc":"2.0","id":6,"error":{"code":-32602,"message":"","data":{"path":"/arguments/token","found":"horse"}}}"#,
            #"{"jsonrpc":"2.0","id":4,"result":{"id":"login","values":{"keys":[{"id":1,"code":"horse"}]}}}"#,
            #"{"jsonrpc":"2.0","id":99,"result":{"who":"horse"}}"#,
            #"{"jsonrpc":"2.0","method":"viewModel.changed","params":{"id":"x","values":{"chain":{"next":{"pin":"horse"}}}}}"#,
            #"{"jsonrpc":"2.0","method":"viewModel.changed","params":{"id":"x","values":{"keys":{"rows":[{"code":"horse"}]}}}}"#,
            #"{"jsonrpc":"2.0","method":"viewModel.changed","params":{"id":"login","patch":[{"op":"add","path":"/keys/0","value":{"code":"horse"}}]}}"#,
            #"{"jsonrpc":"2.0","method":"viewModel.changed","params":{"id":"login","patch":[{"op":"add","path":"/keys/rows/-","value":{"code":"horse"}}]}}"#,
            #"{"jsonrpc":"2.0","method":"viewModel.changed","params":{"id":"login","patch":[{"op":"replace","path":"/keys/3/code","value":"horse"}]}}"#,
            #"{"jsonrpc":"2.0","method":"viewModel.changed","params":{"id":"login","events":[{"output":"told","value":"horse"}]}}"#,
        ]
        for message in messages {
            let text = redacted(message, isFromClient: false)
            #expect(!text.contains("horse") && text.contains("secret-"), "\(text)")
        }
    }

    @Test func `A secret that was seen is replaced wherever it stands later, with the same pseudonym`() throws {
        let first = redacted(#"{"jsonrpc":"2.0","method":"login.password","params":["correct horse"]}"#)
        let pseudonym = try pseudonym(in: first)
        let message = #"{"jsonrpc":"2.0","method":"login.account","params":["x\u0063orrect horse!"]}"#
        #expect(redacted(message) == #"{"jsonrpc":"2.0","method":"login.account","params":["x\#(pseudonym)!"]}"#)
    }

    @Test(arguments: [("mango", true), ("papaya", false)])
    func `A secret of fewer than six bytes stays outside of its declared places`(secret: String, stays: Bool) {
        _ = redacted(#"{"jsonrpc":"2.0","method":"login.password","params":["\#(secret)"]}"#)
        let text = redacted(#"{"jsonrpc":"2.0","method":"login.account","params":["\#(secret)"]}"#)
        #expect(text.contains(secret) == stays)
    }

    @Test func `A secret that was seen is replaced in names, in upper and lower case, and in paths`() throws {
        let first = redacted(#"{"jsonrpc":"2.0","method":"login.password","params":["Geheim/77"]}"#)
        let known = try pseudonym(in: first)
        #expect(
            redacted(
                #"{"jsonrpc":"2.0","method":"bare.note","params":{"value":{"Geheim/77":["GEHEIM/77","geheim/77"]}}}"#
            )
                == #"{"jsonrpc":"2.0","method":"bare.note","params":{"value":{"\#(known)":["\#(known.uppercased())","\#(known)"]}}}"#
        )
        let frame =
            #"{"jsonrpc":"2.0","method":"viewModel.changed","params":{"id":"bare","patch":[{"op":"add","path":"/rows/Geheim~177/0","value":1}]}}"#
        #expect(redacted(frame, isFromClient: false) == frame.replacing("Geheim~177", with: known))
    }

    @Test func `An error quotes an unknown member by the pseudonym of its request`() throws {
        let request = redacted(#"{"jsonrpc":"2.0","id":1,"method":"login.register","params":{"correct horse":"x"}}"#)
        let pseudonym = try pseudonym(in: request)
        let error =
            #"{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"","data":{"path":"/correct horse","expected":"a","found":"x"}}}"#
        let text = redacted(error, isFromClient: false)
        #expect(text.contains(#""path":"/\#(pseudonym)""#) && !text.contains("horse"), "\(text)")
        for (id, request, path) in [
            (2, #""login.password","params":{"value":{"correct":1}}"#, "/value/correct"),
            (3, #""session.attach","params":{"client":{"correct":1}}"#, "/client/correct"),
            (4, #""viewModel.open","params":{"type":"login","arguments":{"correct":1}}"#, "/arguments/correct"),
            (5, #""viewModel.open","params":{"type":"bare","arguments":{"correct":1}}"#, "/arguments/correct"),
            (6, #""viewModel.open","params":{"type":"page","arguments":{"correct":1}}"#, "/arguments/correct"),
            (11, #""viewModel.open","params":{"type":"page","arguments":"horse"}"#, "/arguments"),
            (7, #""viewModel.bind","params":{"windows":{"correct":1}}"#, "/windows/correct"),
            (8, #""login.account","params":{"value":"a","_meta":{"correct":1}}"#, "/_meta/correct"),
            (9, #""login.account","params":"horse""#, ""),
            (10, #""login.reset","params":{"value":"horse"}"#, "/value"),
            (12, #""viewModel.bind","params":{"id":"login","label":{"horse":1}}"#, "/label"),
        ] {
            _ = redacted(#"{"jsonrpc":"2.0","id":\#(id),"method":\#(request)}"#)
            let error =
                #"{"jsonrpc":"2.0","id":\#(id),"error":{"code":-32602,"message":"","data":{"path":"\#(path)","found":"horse"}}}"#
            let text = redacted(error, isFromClient: false)
            #expect(!text.contains("correct") && !text.contains("horse"), "\(text)")
        }
    }

    @Test func `An error hides an unknown member whose name is a long number`() {
        _ = redacted(#"{"jsonrpc":"2.0","id":1,"method":"bare.note","params":{"123456":"horse"}}"#)
        let error =
            #"{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"","data":{"path":"/123456","found":"horse"}}}"#
        let text = redacted(error, isFromClient: false)
        #expect(!text.contains("123456") && !text.contains("horse"), "\(text)")
    }

    @Test func `Names of the contract and of the protocol stay, in unknown places, too`() {
        _ = redacted(#"{"jsonrpc":"2.0","method":"login.password","params":["accoun"]}"#)
        _ = redacted(#"{"jsonrpc":"2.0","method":"login.password","params":["REPLACE"]}"#)
        let text = redacted(
            #"{"jsonrpc":"2.0","method":"login.registre","params":{"account":"a","_meta":{"key":"k"}}}"#
        )
        #expect(text.contains(#""params":{"account":"secret-"#) && text.contains(#""_meta":{"key":"secret-"#))
        let frame =
            #"{"jsonrpc":"2.0","method":"viewModel.changed","params":{"id":"login","patch":[{"op":"replace","path":"/keys/3/id","value":1}]}}"#
        #expect(redacted(frame, isFromClient: false) == frame)
        let message = #"{"jsonrpc":"2.0","id":1,"method":"login.account","params":["a"]}"#
        #expect(redacted(message) == message)
    }

    @Test func `The document of rpc.discover is written once`() {
        let reply = #"{"jsonrpc":"2.0","id":1,"result":{"openrpc":"1.3.2"}}"#
        for isFirst in [true, false, false] {
            _ = redacted(#"{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}"#)
            #expect((redacted(reply, isFromClient: false) == reply) == isFirst)
        }
        _ = redacted(#"{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}"#)
        let other = #"{"jsonrpc":"2.0","id":1,"result":{"openrpc":"1.3.3"}}"#
        #expect(redacted(other, isFromClient: false) == other)
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `The longest known secret at each place is replaced`(seed: UInt64) {
        var random = Seeded(seed)
        func text(_ length: Int) -> String {
            String((0..<length).map { _ in "ab".randomElement(using: &random) ?? "a" })
        }
        var pseudonyms = Pseudonyms()
        let secrets = (0..<40).map { _ in text(.random(in: 4...12, using: &random)) }
        for secret in secrets { pseudonyms.learn(secret) { _ in false } }
        let known = Set(secrets.filter { $0.count >= 6 }).sorted { $0.count > $1.count }
        for _ in 0..<20 {
            let text = text(200)
            var rest = text[...]
            var expected = ""
            while let first = rest.first {
                if let secret = known.first(where: { rest.hasPrefix($0) }) {
                    expected += pseudonyms.pseudonym(of: secret)
                    rest = rest.dropFirst(secret.count)
                } else {
                    expected.append(first)
                    rest = rest.dropFirst()
                }
            }
            #expect(pseudonyms.replacing(in: text) ?? text == expected)
        }
    }

    @Test func `Secrets with one beginning cost a long text one step each`() {
        var pseudonyms = Pseudonyms()
        let start = String(repeating: "a", count: 2000)
        for number in 0..<256 { pseudonyms.learn("\(start)\(number)\(start)") { _ in false } }
        let text = String(repeating: "a", count: 20_000) + "7" + start
        #expect(pseudonyms.replacing(in: text)?.hasSuffix(pseudonyms.pseudonym(of: "\(start)7\(start)")) == true)
    }

    @Test func `Two transcripts have different pseudonyms for one secret`() throws {
        let message = #"{"jsonrpc":"2.0","method":"login.password","params":["correct horse"]}"#
        let other = try Self()
        #expect(redacted(message) != other.redacted(message))
    }

    @Test func `The password in a URL is replaced, the rest is kept`() {
        let text = redacted(
            #"{"jsonrpc":"2.0","method":"login.account","params":["see https://me:pa55@host/a@b and a:b@c"]}"#
        )
        #expect(!text.contains("pa55"))
        #expect(text.contains("see https://me:secret-") && text.contains("@host/a@b and a:b@c"))
        let other = redacted(#"{"jsonrpc":"2.0","method":"login.account","params":["postgresql://me:p@q%40@host/db"]}"#)
        #expect(other.contains("postgresql://me:secret-") && other.contains("@host/db") && !other.contains("q%40"))
    }

    @Test(arguments: [
        #"{ "id" : 12345678901234567890, "method":"login.account","params":{"value":"\u00e9 \"q\" 1e2", "_meta":{"key":"k"}} }"#,
        #"{"jsonrpc":"2.0","id":1,"method":"session.attach","params":{"session":"desk","linger":60}}"#,
        #"{"jsonrpc":"2.0","id":1,"method":"login.register","params":{"account":"secret","password":null}}"#,
    ])
    func `Text without secrets stays as it crossed`(_ message: String) {
        #expect(redacted(message) == message)
    }

    @Test func `A message over several lines becomes one line`() {
        let message = "{\"method\":\"login.account\",\r\n\t\"params\":[\"a\\nb\"]}\n"
        #expect(redacted(message) == #"{"method":"login.account",   "params":["a\nb"]}"#)
    }

    @Test func `A password that is a name of the contract does not change other messages`() {
        _ = redacted(#"{"jsonrpc":"2.0","method":"login.password","params":["register"]}"#)
        let message = #"{"jsonrpc":"2.0","method":"login.register","params":{"account":"register"}}"#
        #expect(redacted(message) == message)
    }
}
