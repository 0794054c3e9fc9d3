import Testing
@testable import ViewModelProtocol

@Suite struct WritingTests {
    @Test func `members without a value are left out`() throws {
        #expect(try text(SessionAttach.Params(session: SessionName("desk"))) == #"{"session":"desk"}"#)
        #expect(try text(ViewModelBind.Params(id: "lab")) == #"{"id":"lab"}"#)
        #expect(try text(SessionList.Params()) == "{}")
        #expect(try text(SessionList.Params(all: true)) == #"{"all":true}"#)
        #expect(try text(Meta(key: "a")) == #"{"key":"a"}"#)
        #expect(try text(NoParams()) == "{}")
        #expect(
            try text(ViewModelBind.Result(id: "lab", epoch: "e", seq: 1, full: true, values: [:]))
                == #"{"id":"lab","epoch":"e","seq":1,"full":true,"values":{}}"#
        )
        #expect(try text(ViewModelChanged.Params(id: "lab", seq: 2, lost: 1)) == #"{"id":"lab","seq":2,"lost":1}"#)
    }

    @Test func `an absent date of a listing is null`() throws {
        let entry = SessionList.Entry(session: "desk", attached: 1, instances: 3, created: "now", expires: nil)
        #expect(
            try text(entry) == #"{"session":"desk","attached":1,"instances":3,"created":"now","expires":null}"#
        )
    }

    @Test func `another machine is named where a session lives there or moves there`() throws {
        #expect(
            try text(SessionAttach.Params(session: SessionName("desk"), move: true))
                == #"{"session":"desk","move":true}"#
        )
        let entry = SessionList.Entry(
            session: "desk",
            attached: 0,
            instances: 3,
            created: "now",
            expires: "then",
            node: "lab-7"
        )
        let listed =
            #"{"session":"desk","attached":0,"instances":3,"created":"now","expires":"then","node":"lab-7"}"#
        #expect(try text(entry) == listed)
        #expect(try decode(SessionList.Entry.self, listed) == entry)
        #expect(
            try text(SessionClosed.Params(session: "desk", reason: .moved, node: "lab-7"))
                == #"{"session":"desk","reason":"moved","node":"lab-7"}"#
        )
    }

    @Test func `nothing is null`() throws {
        #expect(try text(NoResult()) == "null")
        #expect(try decode(NoResult.self, "null") == NoResult())
        #expect(try decode(NoResult.self, #"{"more":1}"#) == NoResult())
    }

    @Test func `a client lets pass what a newer daemon says`() throws {
        let result = try decode(
            SessionAttach.Result.self,
            #"""
            {"session":"desk","created":true,"restored":false,"epoch":"b6ca","linger":60,"protocol":1,"contract":"0","news":1,
             "daemon":{"name":"viewmodeld","version":"1.0.0","pid":7}}
            """#,
            isLenient: true
        )
        #expect(result.daemon == DaemonInfo(name: "viewmodeld", version: "1.0.0"))
    }
}
