import Testing
import ViewModelProtocol

@testable import ViewModelClient

@Suite struct PieceTests {
    @Test func `the only request that waits is the one that was complained about`() {
        var pending = PendingRequests<String>()
        pending.add(1, "one", bytes: 10)
        #expect(pending.removeCause(of: .parseError(offset: 3)) == "one")
        #expect(pending.isEmpty)
        pending.add(2, "two", bytes: 10)
        pending.add(3, "three", bytes: 10)
        #expect(pending.removeCause(of: .parseError(offset: 3)) == nil)
        #expect(pending.removeCause(of: .messageTooLarge(limit: 10)) == nil)
        pending.add(4, "four", bytes: 11)
        #expect(pending.removeCause(of: .messageTooLarge(limit: 10)) == "four")
        #expect(pending.removeAll() == ["two", "three"])
    }

    @Test func `requests with keys are kept for the next connection, for a time`() {
        var pending = PendingRequests<String>()
        pending.add(1, "plain", bytes: 1)
        pending.add(2, "keyed", bytes: 1, repeating: [2])
        pending.add(3, "keyed, too", bytes: 1, repeating: [3])
        #expect(pending.removeUnrepeated() == ["plain"])
        // A request that waits to be sent again is no cause of an error.
        pending.add(4, "new", bytes: 1)
        #expect(pending.removeCause(of: .parseError(offset: 3)) == "new")
        let soon = pending.repeated(since: .now - .seconds(60))
        #expect(soon.lines == [[2], [3]])
        #expect(soon.late == [])
        // They were sent, and are repeated once for each lost connection.
        #expect(pending.repeated(since: .now - .seconds(60)).lines == [])
        #expect(pending.removeUnrepeated() == [])
        #expect(pending.remove(2) == "keyed")
        let late = pending.repeated(since: .now + .seconds(60))
        #expect(late.lines == [])
        #expect(late.late == ["keyed, too"])
        #expect(pending.isEmpty)
    }

    @Test func `a call that was refused without being run is sent again, whatever the daemon knows`() {
        var pending = PendingRequests<String>()
        pending.add(1, "plain", bytes: 1, repeating: [1], isKeyed: false)
        pending.add(2, "refused", bytes: 1, repeating: [2], isKeyed: false)
        pending.add(3, "keyed", bytes: 1, repeating: [3])
        pending.add(4, "own", bytes: 1)
        let isCallKept = pending.keepRefused(2)
        let isOwnKept = pending.keepRefused(4)
        #expect(isCallKept && !isOwnKept)
        #expect(pending.removeUnrepeated() == ["plain", "own"])
        let repeated = pending.repeated(since: nil)
        #expect(repeated.lines == [[2]])
        #expect(repeated.late == ["keyed"])
        // Without an answer it may have run now.
        #expect(pending.removeUnrepeated() == ["refused"])
    }

    @Test func `a repeated call that is refused may have run before`() {
        var pending = PendingRequests<String>()
        pending.add(1, "keyed", bytes: 1, repeating: [1])
        #expect(pending.removeUnrepeated() == [])
        #expect(pending.repeated(since: .now - .seconds(60)).lines == [[1]])
        let isKept = pending.keepRefused(1)
        #expect(isKept)
        let repeated = pending.repeated(since: nil)
        #expect(repeated.lines == [])
        #expect(repeated.late == ["keyed"])
    }

    @Test func `a key is random, and a deadline is rounded up to milliseconds`() {
        let one = CallOptions.retrying
        #expect(one.key != CallOptions.retrying.key)
        #expect((one.key?.utf8.count ?? 0) > 16)
        #expect((one.key?.utf8.count ?? 999) <= 128)
        #expect(CallOptions.deadline(.microseconds(1500)).meta == Meta(deadline: 2))
        #expect(CallOptions.deadline(.seconds(-1)).meta == Meta(deadline: 0))
        #expect(CallOptions().meta == nil)
    }

    @Test func `updates beyond the limit are merged into the last`() {
        var buffer = UpdateBuffer(limit: 2)
        for seq in 1...5 {
            let picture = Picture(id: "lab", epoch: "e", seq: seq, values: ["value": .integer(seq)])
            let event = OutputEvent(output: "bell", value: .integer(seq))
            let change = Picture.Change(outputs: ["o\(seq)"], events: [event])
            buffer.append(BindingUpdate(picture: picture, change: change, isFull: seq == 2))
        }
        #expect(buffer.popFirst()?.picture.seq == 1)
        let last = buffer.popFirst()
        #expect(last?.picture.seq == 5)
        #expect(last?.isFull == true)
        #expect(last?.change.outputs == ["o2", "o3", "o4", "o5"])
        #expect(last?.change.events.map(\.value) == [2, 3, 4, 5].map { JSONValue.integer($0) })
        #expect(buffer.popFirst() == nil)
    }

    @Test func `many merged events lose the oldest and count them`() {
        var buffer = UpdateBuffer(limit: 1)
        let picture = Picture(id: "lab", epoch: "e", seq: 1, values: [:])
        for index in 0..<1030 {
            let change = Picture.Change(events: [OutputEvent(output: "bell", value: .integer(index))])
            buffer.append(BindingUpdate(picture: picture, change: change, isFull: false))
        }
        let update = buffer.popFirst()
        #expect(update?.change.events.count == 1024)
        #expect(update?.change.events.last?.value == .integer(1029))
        #expect(update?.change.lost == 6)
    }

    @Test(arguments: [
        (#"{"jsonrpc":"2.0","id":7,"result":{"a":1}}"#, IncomingLine.result(7, Array(#"{"a":1}"#.utf8))),
        (
            #"{"jsonrpc":"2.0","id":7,"error":{"code":-32800,"message":"m"}}"#,
            .failure(7, ProtocolError(code: .cancelled, message: "m"))
        ),
        (
            #"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"m"}}"#,
            .unattributedError(ProtocolError(code: .parseError, message: "m"))
        ),
        (#"{"jsonrpc":"2.0","method":"x","params":[1]}"#, .notification("x", Array("[1]".utf8))),
        (#"{"jsonrpc":"2.0","method":"x"}"#, .notification("x", Array("{}".utf8))),
        (#"{"jsonrpc":"2.0","id":1,"method":"x"}"#, .ignored),
        (#"{"jsonrpc":"2.0","id":"other","result":1}"#, .ignored),
        ("no JSON", .ignored),
    ])
    func `a line is parsed by its members`(line: String, meaning: IncomingLine) {
        #expect(IncomingLine(Array(line.utf8)) == meaning)
    }

    @Test func `an object is sent member by member, any other value under its name`() throws {
        #expect(try params(["a": 1]) == #"{"a":1}"#)
        #expect(try params(7) == #"{"value":7}"#)
        #expect(try params([7]) == #"{"value":[7]}"#)
        #expect(try params(NoParams(), Meta(deadline: 5)) == #"{"_meta":{"deadline":5}}"#)
        #expect(try params("x", Meta(key: "k")) == #"{"value":"x","_meta":{"key":"k"}}"#)
        #expect(throws: ClientError.self) { try params(Double.nan) }
    }

    private func params(_ value: some Encodable, _ meta: Meta? = nil) throws -> String {
        String(decoding: try MemberParams.encode(value, meta: meta), as: UTF8.self)
    }

    @Test(arguments: [
        (["VIEWMODELD_SOCKET": "/s", "XDG_RUNTIME_DIR": "/r"], UInt32(0), "/s"),
        (["XDG_RUNTIME_DIR": "/r"], 0, "/run/viewmodeld/viewmodeld.sock"),
        (["XDG_RUNTIME_DIR": "/r"], 1000, "/r/viewmodeld/viewmodeld.sock"),
        (["XDG_RUNTIME_DIR": ""], 1000, "/run/user/1000/viewmodeld/viewmodeld.sock"),
    ])
    func `the socket is where the daemon listens`(environment: [String: String], uid: UInt32, path: String) {
        #expect(SocketPath.standard(environment: environment, uid: uid) == path)
    }
}
