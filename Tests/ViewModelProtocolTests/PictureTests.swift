import Testing
@testable import ViewModelProtocol

@Suite struct PictureTests {
    private var picture = Picture(
        id: "inbox",
        epoch: "b6ca",
        seq: 40,
        values: [
            "unread": .integer(11), "mails": .array([.object(["id": .integer(1)]), .object(["id": .integer(2)])]),
        ]
    )

    @Test mutating func `a frame changes values, then lists, and tells its events`() throws {
        let frame = ViewModelChanged.Params(
            id: "inbox",
            seq: 41,
            values: ["unread": .integer(12)],
            patch: JSONPatch([
                .remove(path: JSONPointer(tokens: ["mails", "1"])),
                .add(path: JSONPointer(tokens: ["mails", "0"]), value: .object(["id": .integer(912)])),
            ]),
            events: [OutputEvent(output: "chime", value: .string("new"))]
        )
        let change = try picture.apply(frame)
        #expect(picture.seq == 41)
        #expect(picture["unread"] == .integer(12))
        #expect(picture["mails"] == .array([.object(["id": .integer(912)]), .object(["id": .integer(1)])]))
        #expect(change.outputs == ["unread", "mails"])
        #expect(change.events == [OutputEvent(output: "chime", value: .string("new"))])
        #expect(change.lost == 0)
    }

    @Test mutating func `a patch applies to the values of the same frame`() throws {
        let frame = ViewModelChanged.Params(
            id: "inbox",
            seq: 41,
            values: ["mails": .array([])],
            patch: JSONPatch([.add(path: JSONPointer(tokens: ["mails", "-"]), value: .object(["id": .integer(3)]))])
        )
        try picture.apply(frame)
        #expect(picture["mails"] == .array([.object(["id": .integer(3)])]))
    }

    @Test mutating func `a patch that does not fit leaves the picture as it was`() {
        let before = picture
        let frame = ViewModelChanged.Params(
            id: "inbox",
            seq: 41,
            values: ["unread": .integer(0)],
            patch: JSONPatch([.remove(path: JSONPointer(tokens: ["mails", "9"]))])
        )
        #expect(throws: JSONPatch.Failure.self) { try picture.apply(frame) }
        #expect(picture == before)
    }

    @Test mutating func `a resumed binding changes what changed since`() throws {
        let result = ViewModelBind.Result(
            id: "inbox",
            epoch: "b6ca",
            seq: 50,
            full: false,
            values: ["unread": .integer(3)],
            lost: 2
        )
        let change = try picture.apply(result)
        #expect(picture["unread"] == .integer(3))
        #expect(picture["mails"]?.arrayValue?.count == 2)
        #expect(picture.since == Since(epoch: "b6ca", seq: 50))
        #expect(change.lost == 2)
    }

    @Test mutating func `a whole picture of another life replaces all`() throws {
        let result = ViewModelBind.Result(
            id: "inbox",
            epoch: "new",
            seq: 2,
            full: true,
            values: ["unread": .integer(0)]
        )
        try picture.apply(result)
        #expect(picture == Picture(result))
        #expect(picture["mails"] == nil)
    }

    @Test func `two changes sum up in order`() {
        let first = Picture.Change(outputs: ["a"], events: [OutputEvent(output: "e", value: .integer(1))], lost: 1)
        let second = Picture.Change(outputs: ["b"], events: [OutputEvent(output: "e", value: .integer(2))], lost: 2)
        let sum = first.followed(by: second)
        #expect(sum.outputs == ["a", "b"])
        #expect(sum.events.map(\.value) == [.integer(1), .integer(2)])
        #expect(sum.lost == 3)
    }
}
