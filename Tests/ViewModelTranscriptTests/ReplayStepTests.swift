import JSONRPC
import Testing
import ViewModelContract

@testable import ViewModelTranscript

/// The steps of a replay, against a daemon whose messages the test writes.
@Suite struct `The steps of a replay` {
    private static let bind = #"{"jsonrpc":"2.0","id":1,"method":"viewModel.bind","params":{"id":"lamp"}}"#
    private static let bound =
        #"{"jsonrpc":"2.0","id":1,"result":{"id":"lamp","epoch":"e","seq":1,"full":true,"values":{"isLit":false}}}"#

    private static func frame(_ members: String) -> String {
        #"{"jsonrpc":"2.0","method":"viewModel.changed","params":{"id":"lamp",\#(members)}}"#
    }

    /// Returns a replay of these lines, each of them a second after the one before.
    private func replay(
        _ events: [Transcript.Event],
        ignored: Set<String> = [],
        sessions: String = "replay"
    ) throws -> Replay {
        let header = Transcript.Header(program: "lampd 1", contract: "", date: "2026-11-24T08:00:00Z").text
        let lines = events.enumerated().map { index, event in
            Transcript.Entry.text(time: .seconds(index), connection: 1, event: event)
        }
        let contract = #"{"x-viewModels":{"lamp":{"inputs":{"light":{}},"outputs":{"isLit":{}}}}}"#
        let document = try #require(JSONValue(text: contract))
        var options = Replay.Options(ignored: ignored)
        options.sessions = sessions
        let transcript = try Transcript(header + lines.joined())
        return try Replay(transcript, against: Contract(ofDaemon: document), options: options)
    }

    private func receive(_ text: String, _ replay: inout Replay) {
        replay.receive(Array(text.utf8), on: 1)
    }

    private let question = #"{"jsonrpc":"2.0","id":"replay","method":"viewModel.list"}"#
    private let answer = #"{"jsonrpc":"2.0","id":"replay","result":{"instances":[]}}"#

    /// Returns a replay of a binding, at the end of its connection, where the daemon was asked once more.
    private func settled() throws -> Replay {
        var replay = try replay([.opened, .sent(Self.bind), .received(Self.bound), .closed])
        #expect(replay.next() == .open(1))
        #expect(replay.next() == .send(Self.bind, on: 1))
        #expect(replay.next() == .wait)
        receive(Self.bound, &replay)
        #expect(replay.next() == .pause(.seconds(1)))
        #expect(replay.next() == .send(question, on: 1))
        #expect(replay.next() == .wait)
        return replay
    }

    /// Expects the next step to be a difference, and returns it.
    private func difference(_ replay: inout Replay) throws -> ReplayDifference {
        guard case .differs(let difference) = replay.next() else { throw NoDifference() }
        return difference
    }

    private struct NoDifference: Error {}

    @Test(arguments: [(20, 300, "", ""), (21, 301, "…", "  and 1 more\n")])
    func `A difference shows its first 20 members, and 300 characters of a value`(
        count: Int,
        length: Int,
        mark: String,
        rest: String
    ) {
        let member = ReplayDifference.Member(path: "a.b", recorded: String(repeating: "x", count: length), now: nil)
        let members = Array(repeating: member, count: count)
        let difference = ReplayDifference(line: 7, call: "c", members: members, hint: "h")
        let shown = "  a.b\n- \(String(repeating: "x", count: 300))\(mark)\n+ (nothing)\n"
        #expect(difference.description == "line 7: c\n\(String(repeating: shown, count: 20))\(rest)h\n")
    }

    @Test func `A connection ends after the recorded time and one more answer`() throws {
        var replay = try settled()
        #expect(replay.time == .seconds(3))
        receive(answer, &replay)
        #expect(replay.next() == .close(1))
        #expect(replay.next() == .finished(.init(connections: 1, messages: 1, replies: 1, pictures: 2)))
    }

    @Test func `A frame that was not recorded is a difference, even after the last reply`() throws {
        var replay = try settled()
        receive(Self.frame(#""seq":2,"values":{"isLit":true}"#), &replay)
        receive(answer, &replay)
        #expect(replay.next() == .wait)
        replay.expire()
        let difference = try difference(&replay)
        #expect(difference.members == [.init(path: "lamp.isLit", recorded: "false", now: "true")])
        #expect(difference.line == 8)
    }

    @Test(arguments: [true, false])
    func `Each tag of an instance has a picture of its own`(comes: Bool) throws {
        let tagged = #"{"jsonrpc":"2.0","id":2,"method":"viewModel.bind","params":{"id":"lamp","tag":"side"}}"#
        let result = #"{"id":"lamp","tag":"side","epoch":"e","seq":1,"full":true,"values":{"isLit":false}}"#
        let answer = #"{"jsonrpc":"2.0","id":2,"result":\#(result)}"#
        let frame = Self.frame(#""tag":"side","seq":2,"values":{"isLit":true}"#)
        var replay = try replay([
            .opened, .sent(Self.bind), .received(Self.bound), .sent(tagged), .received(answer), .received(frame),
            .closed,
        ])
        for _ in 0..<3 { _ = replay.next() }
        receive(Self.bound, &replay)
        while replay.next() != .send(tagged, on: 1) {}
        receive(answer, &replay)
        if comes { receive(frame, &replay) }
        var step = replay.next()
        while step != .wait, step != .send(question, on: 1) { step = replay.next() }
        guard !comes else { return #expect(step == .send(question, on: 1)) }
        replay.expire()
        let difference = try difference(&replay)
        #expect(difference.members == [.init(path: "lamp.isLit", recorded: "true", now: "false")])
    }

    @Test func `A daemon that has closed the connection does not hold back the end`() throws {
        var replay = try settled()
        replay.expire()
        #expect(replay.next() == .close(1))
    }

    @Test func `A frame that does not fit its picture is a difference`() throws {
        var replay = try settled()
        receive(Self.frame(#""seq":2,"patch":[{"op":"remove","path":"/rows/7"}]"#), &replay)
        let difference = try difference(&replay)
        let unfit = "a frame that does not fit the picture before it"
        #expect(difference.members == [.init(path: "lamp", recorded: #"{"isLit":false}"#, now: unfit)])
    }

    @Test(arguments: [
        (
            #""seq":2,"patch":[{"op":"remove","path":"/rows/7"}]"#,
            "the patch does not fit the picture before it: Operation 0"
        ),
        (#""seq":2,"patch":5"#, #"the frame has 5 at "/patch" where"#),
        (#""seq":2,"values":[true]"#, #"the frame has [true] at "/values" where"#),
        (#""seq":2,"events":{"output":"a"}"#, #"at "/events" where"#),
        (#""seq":2,"events":[{"output":1,"value":2}]"#, #"the frame has 1 at "/events/0/output" where"#),
        (#""values":{"isLit":true}"#, #"the frame has nothing at "/seq" where"#),
        (#""seq":0,"values":{"isLit":true}"#, "the step 0 of the frame is before the step 1 of its picture"),
    ])
    func `A frame of the transcript that does not fit its picture is named`(members: String, reason: String) throws {
        let unfit = Self.frame(members)
        let error = #expect(throws: TranscriptError.self) {
            try replay([.opened, .sent(Self.bind), .received(Self.bound), .received(unfit), .closed])
        }
        #expect(error?.line == 8)
        #expect(error?.reason.contains(reason) == true, "\(error?.reason ?? "")")
    }

    @Test(arguments: [
        (#"{"jsonrpc":"2.0","id":2,"result":null}"#, "no request before it has the id 2"),
        (#"[{"jsonrpc":"2.0","id":1,"result":null}]"#, #"the reply to viewModel.bind has null at "" where"#),
        (
            #"{"jsonrpc":"2.0","id":1,"result":{"id":"lamp","epoch":"e","seq":1,"full":true,"values":5}}"#,
            #"at "/values""#
        ),
        (
            #"{"jsonrpc":"2.0","id":1,"result":{"id":"lamp","epoch":"e","full":true,"values":{}}}"#,
            #"nothing at "/seq""#
        ),
    ])
    func `A reply of the transcript that does not fit its request is named`(reply: String, reason: String) throws {
        let error = #expect(throws: TranscriptError.self) {
            try replay([.opened, .sent(Self.bind), .received(reply), .closed])
        }
        #expect(error?.line == 7)
        #expect(error?.reason.contains(reason) == true, "\(error?.reason ?? "")")
    }

    @Test func `A binding that resumes continues the picture of its step, whatever came later`() throws {
        let resume =
            #"{"jsonrpc":"2.0","id":1,"method":"viewModel.bind","params":{"id":"lamp","since":{"epoch":"e","seq":2}}}"#
        func resumed(_ members: String) -> String {
            #"{"jsonrpc":"2.0","id":1,"result":{"id":"lamp","epoch":"e","seq":4,"full":false,\#(members)}}"#
        }
        let rows = Self.bound.replacing(#""isLit":false"#, with: #""rows":[{"id":1}]"#)
        let events: [Transcript.Event] = [
            .opened, .sent(Self.bind), .received(rows),
            .received(Self.frame(#""seq":2,"patch":[{"op":"add","path":"/rows/0","value":{"id":2}}]"#)),
            .received(
                Self.frame(#""seq":3,"patch":[{"op":"remove","path":"/rows/0"},{"op":"remove","path":"/rows/0"}]"#)
            ),
            .sent(resume),
        ]
        let fits = resumed(#""values":{},"patch":[{"op":"remove","path":"/rows/1"}]"#)
        #expect(throws: Never.self) { try replay(events + [.received(fits)]) }
        let unfit = resumed(#""values":{},"patch":[{"op":"remove","path":"/rows/2"}]"#)
        let error = #expect(throws: TranscriptError.self) { try replay(events + [.received(unfit)]) }
        #expect(error?.line == 11)
    }

    @Test func `The name of a replay may have any characters`() throws {
        var replay = try replay([.opened, .closed], sessions: #"re"play\"#)
        #expect(replay.next() == .open(1))
        guard case .pause = replay.next(), case .send(let text, on: 1) = replay.next() else {
            Issue.record("no question")
            return
        }
        #expect(JSONValue(text: text)?["id"]?.stringValue == #"re"play\"#)
        receive(text.replacing(#""method":"viewModel.list""#, with: #""result":{}"#), &replay)
        #expect(replay.next() == .close(1))
    }

    @Test func `A secret that an error quotes, and the step of a script of a mock, may differ`() throws {
        let light = #"{"jsonrpc":"2.0","id":1,"method":"lamp.light","params":["secret-0123456789abcdef"]}"#
        let script = #"{"jsonrpc":"2.0","id":2,"method":"mock.set","params":{"output":"lamp.isLit","value":true}}"#
        func refusal(_ found: String) -> String {
            #"{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"","data":{"path":"/0","found":"\#(found)"}}}"#
        }
        func reply(_ step: Int) -> String { #"{"jsonrpc":"2.0","id":2,"result":{"seq":\#(step)}}"# }
        var replay = try replay([
            .opened, .sent(light), .received(refusal("secret-fedcba9876543210")), .sent(script), .received(reply(4)),
        ])
        #expect(replay.next() == .open(1))
        #expect(replay.next() == .send(light, on: 1))
        #expect(replay.next() == .wait)
        receive(refusal("a text"), &replay)
        #expect(replay.next() == .send(script, on: 1))
        #expect(replay.next() == .wait)
        receive(reply(9), &replay)
        #expect(replay.next() == .send(question, on: 1))
        #expect(replay.next() == .wait)
        receive(answer, &replay)
        #expect(replay.next() == .finished(.init(connections: 1, messages: 2, replies: 2, pictures: 0)))
    }

    @Test func `Of a batch that a stopping daemon has refused in part, the rest is sent`() throws {
        let first = #"{"id":2,"jsonrpc":"2.0","method":"lamp.light","params":[true]}"#
        let second = #"{"id":3,"jsonrpc":"2.0","method":"lamp.light","params":[false]}"#
        let refusal = #"{"jsonrpc":"2.0","id":3,"error":{"code":-32007,"message":"The daemon is shutting down"}}"#
        let reply = #"{"jsonrpc":"2.0","id":2,"result":null}"#
        var replay = try replay([
            .opened, .sent("[\(first),\(second)]"), .received("[\(reply),\(refusal)]"),
            .sent(second), .received(refusal), .sent(#"{"jsonrpc":"2.0","method":"lamp.light","params":[false]}"#),
        ])
        #expect(replay.next() == .open(1))
        #expect(replay.next() == .send("[\(first)]", on: 1))
        #expect(replay.next() == .wait)
        receive("[\(reply)]", &replay)
        #expect(replay.next() == .send(question, on: 1))
        #expect(replay.next() == .wait)
        receive(answer, &replay)
        #expect(replay.next() == .finished(.init(connections: 1, messages: 1, replies: 1, pictures: 0)))
    }
}
