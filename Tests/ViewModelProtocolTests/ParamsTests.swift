import Testing
import ViewModelProtocol

@Suite struct ParamsTests {
    @Test func `attach takes what the protocol names`() throws {
        let params = try decode(
            SessionAttach.Params.self,
            #"{"session":"desk","linger":60,"client":{"name":"x","version":"1"},"_meta":{}}"#
        )
        #expect(params.session?.text == "desk")
        #expect(params.linger == 60)
        #expect(params.client == ClientInfo(name: "x", version: "1"))
        #expect(try decode(SessionAttach.Params.self, "{}") == SessionAttach.Params())
        #expect(try decode(SessionAttach.Params.self, #"{"session":null,"linger":null}"#) == SessionAttach.Params())
        #expect(try decode(SessionAttach.Params.self, #"{"linger":9223372036854775807}"#).linger == .max)
    }

    @Test(arguments: [
        (#"{"session":"-desk"}"#, "/session", SessionName.rule, #""-desk""#),
        (#"{"session":""}"#, "/session", SessionName.rule, #""""#),
        (#"{"session":"ä"}"#, "/session", SessionName.rule, #""ä""#),
        (#"{"session":7}"#, "/session", "a string", "7"),
        (#"{"linger":-1}"#, "/linger", "an integer of 0 or more", "-1"),
        (#"{"linger":1.5}"#, "/linger", "an integer", "1.5"),
        (#"{"client":{"version":"1"}}"#, "/client/name", "a string", "nothing"),
        (#"{"sesion":"desk"}"#, "/sesion", "no such member; one of session, linger, client, uid, move", #""desk""#),
    ])
    func `a wrong value of attach is named by its place`(
        text: String,
        path: String,
        expected: String,
        found: String
    ) {
        let wrong = mismatch(SessionAttach.Params.self, text)
        #expect(wrong?.path == path)
        #expect(wrong?.expected == expected)
        #expect(wrong?.found == found)
    }

    @Test(arguments: [
        (#"{"id":"lab","windows":{"rows":{"offset":-1,"limit":2}}}"#, "/windows/rows/offset"),
        (#"{"id":"lab","windows":{"rows":{"offset":0}}}"#, "/windows/rows/limit"),
        (#"{"id":"lab","windows":{"rows":[0,1]}}"#, "/windows/rows"),
        (#"{"id":"lab","windows":{"rows":{"offset":0,"limit":1,"x":0}}}"#, "/windows/rows/x"),
        (#"{"id":"lab","windows":{"a/b":{"offset":"0","limit":1}}}"#, "/windows/a~1b/offset"),
        (#"{"id":"lab","since":{"epoch":"x","seq":-1}}"#, "/since/seq"),
        (#"{"id":"lab","since":{"epoch":1,"seq":1}}"#, "/since/epoch"),
        (#"{"id":"lab","minInterval":-5}"#, "/minInterval"),
        (#"{"id":"lab","outputs":["a",1]}"#, "/outputs/1"),
        (#"{"id":1}"#, "/id"),
        (#"{}"#, "/id"),
        (#"[]"#, ""),
    ])
    func `a wrong value of bind is named by its place`(text: String, path: String) {
        #expect(mismatch(ViewModelBind.Params.self, text)?.path == path)
    }

    @Test func `an ill-formed instance is a matter of finding it`() throws {
        #expect(try decode(ViewModelBind.Params.self, #"{"id":"no such thing"}"#).id == "no such thing")
        #expect(try decode(ViewModelClose.Params.self, #"{"id":""}"#).id == "")
    }

    @Test func `open checks the id and takes any object as arguments`() throws {
        let params = try decode(ViewModelOpen.Params.self, #"{"type":"lab","id":"lab-2","arguments":{"a":[1]}}"#)
        #expect(params.id?.text == "lab-2")
        #expect(params.arguments?["a"]?[0] == .integer(1))
        let wrong = mismatch(ViewModelOpen.Params.self, #"{"type":"lab","id":"2lab"}"#)
        #expect(wrong == ValueMismatch(path: "/id", expected: InstanceID.rule, found: #""2lab""#))
        #expect(mismatch(ViewModelOpen.Params.self, #"{"type":"lab","arguments":[1]}"#)?.path == "/arguments")
    }

    @Test func `a method without params takes an empty object only`() throws {
        #expect(try decode(NoParams.self, "{}") == NoParams())
        #expect(mismatch(NoParams.self, #"{"x":1}"#)?.path == "/x")
    }

    @Test(arguments: [
        (#"{"deadline":-1}"#, "/deadline"), (#"{"deadline":1.5}"#, "/deadline"), (#"{"deadline":null}"#, "/deadline"),
        (#"{"key":1}"#, "/key"), (#"{"key":null}"#, "/key"), (#"{"retry":true}"#, "/retry"), ("null", ""), ("[]", ""),
    ])
    func `a wrong note on a call is refused`(text: String, path: String) {
        #expect(mismatch(Meta.self, text)?.path == path)
    }

    @Test func `a key has as many bytes as the limit, however few characters these are`() throws {
        let longest = String(repeating: "\u{E9}", count: Meta.longestKey / 2)
        #expect(try decode(Meta.self, #"{"key":"\#(longest)"}"#).key == longest)
        #expect(mismatch(Meta.self, #"{"key":"\#(longest)\u{E9}"}"#)?.path == "/key")
    }

    @Test func `a note on a call is read`() throws {
        #expect(try decode(Meta.self, #"{"deadline":50,"key":"a"}"#) == Meta(deadline: 50, key: "a"))
        #expect(try decode(Meta.self, "{}") == Meta())
    }

    @Test(arguments: [
        ("1", RequestID.number("1")), ("1.0", .number("1.0")), (#""a""#, .string("a")), ("null", .null),
        ("12345678901234567890", .number("12345678901234567890")),
    ])
    func `a cancelled id is kept as it is written`(text: String, id: RequestID) throws {
        #expect(try decode(CancelRequest.Params.self, #"{"id":\#(text)}"#).id == id)
    }

    @Test func `an id that is no id is refused`() {
        #expect(mismatch(CancelRequest.Params.self, #"{"id":[1]}"#)?.path == "/id")
        #expect(mismatch(CancelRequest.Params.self, "{}")?.path == "/id")
    }
}
