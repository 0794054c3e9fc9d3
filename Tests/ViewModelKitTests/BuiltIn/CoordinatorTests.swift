import Testing
import ViewModelKit
import ViewModelTesting

@Suite struct `The coordinator` {
    @Test func `starts at the root, from where nothing leads back`() throws {
        let desk = try Desk.harness()
        #expect(try desk.scenes.map(\.id) == ["root"])
        #expect(desk.client.picture(of: "coordinator")?["back.enabled"] == false)
        #expect(desk.client.begin("coordinator.back").error?.code == .disabled)
        try desk.send(\.inputs.back)
        #expect(try desk.scenes.map(\.id) == ["root"])
    }

    @Test func `shows a pushed scene with the instance it is registered with`() throws {
        let desk = try Desk.harness()
        try desk.send(\.inputs.push, "settings")
        let scene = try #require(try desk.scenes.last)
        #expect(scene.scene == "settings")
        #expect(scene.style == .push)
        #expect(scene.instance == "settings")
        #expect(desk.client.picture(of: "coordinator")?["back.enabled"] == true)
    }

    @Test func `presents above what was pushed, and goes back one at a time`() throws {
        let desk = try Desk.harness()
        try desk.send(\.inputs.push, "about")
        try desk.send(\.inputs.present, "elsewhere")
        #expect(try desk.scenes.map(\.style) == [.root, .push, .present])
        #expect(try desk.scenes.map(\.instance) == [nil, nil, nil])
        try desk.client.request("coordinator.back")
        #expect(try desk.scenes.map(\.scene) == ["root", "about"])
        try desk.send(\.inputs.back)
        #expect(try desk.scenes.map(\.scene) == ["root"])
    }

    @Test func `gives each entry an id of its own`() throws {
        let desk = try Desk.harness()
        for _ in 0..<3 {
            try desk.send(\.inputs.push, "about")
            try desk.send(\.inputs.back)
            try desk.send(\.inputs.push, "about")
        }
        #expect(Set(try desk.scenes.map(\.id)).count == 4)
    }

    @Test func `opens a registered scene for a client, with arguments as they were sent`() throws {
        let desk = try Desk.harness()
        let opened = try desk.client.request(
            "coordinator.open",
            ["scene": "about", "arguments": ["page": .number("1.50")]]
        )
        let top = desk.client.picture(of: "coordinator")?["scenes"]?[1]
        #expect(top?["id"] == opened["id"])
        #expect(top?["arguments"]?["page"] == .number("1.50"))
        #expect(top?["style"] == "push")
        try desk.client.request("coordinator.open", ["scene": "about"])
        #expect(desk.client.picture(of: "coordinator")?["scenes"]?[2]?["arguments"] == [:])
    }

    @Test func `refuses to open a scene that nobody registered`() throws {
        let desk = try Desk.harness()
        let error = try #require(desk.client.begin("coordinator.open", ["scene": "abuot"]).error)
        #expect(error.code == .invalidParams)
        #expect(error.data?["path"] == "/scene")
        #expect(error.data?["suggestions"] == ["about"])
        let wrong = desk.client.begin("coordinator.open", ["scene": "about", "arguments": [1]]).error
        #expect(wrong?.data?["path"] == "/arguments")
    }

    @Test func `navigates in the frame that comes before the action's result`() throws {
        let desk = try Desk.harness()
        _ = desk.client.takeReceived()
        let leave = desk.client.begin("desk.leave")
        let received = desk.client.takeReceived()
        #expect(received.first?.frame?.instance == "coordinator")
        #expect(received.last == .result(id: leave.id, "scene-1"))
    }
}
