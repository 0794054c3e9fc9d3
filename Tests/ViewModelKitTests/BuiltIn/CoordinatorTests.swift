import Testing
import ViewModelKit
import ViewModelTesting

@Suite struct `The coordinator` {
    @Test func `starts at the root, from where nothing leads back`() throws {
        let navigation = try NavigationViewModel.harness()
        #expect(try navigation.scenes.map(\.id) == ["root"])
        #expect(navigation.client.picture(of: "coordinator")?["back.enabled"] == false)
        #expect(navigation.client.begin("coordinator.back").error?.code == .disabled)
        try navigation.send(\.inputs.back)
        #expect(try navigation.scenes.map(\.id) == ["root"])
    }

    @Test func `shows a pushed scene with the instance it is registered with`() throws {
        let navigation = try NavigationViewModel.harness()
        try navigation.send(\.inputs.push, "settings")
        let scene = try #require(try navigation.scenes.last)
        #expect(scene.scene == "settings")
        #expect(scene.style == .push)
        #expect(scene.instance == "settings")
        #expect(navigation.client.picture(of: "coordinator")?["back.enabled"] == true)
    }

    @Test func `presents above what was pushed, and goes back one at a time`() throws {
        let navigation = try NavigationViewModel.harness()
        try navigation.send(\.inputs.push, "about")
        try navigation.send(\.inputs.present, "elsewhere")
        #expect(try navigation.scenes.map(\.style) == [.root, .push, .present])
        #expect(try navigation.scenes.map(\.instance) == [nil, nil, nil])
        try navigation.client.request("coordinator.back")
        #expect(try navigation.scenes.map(\.scene) == ["root", "about"])
        try navigation.send(\.inputs.back)
        #expect(try navigation.scenes.map(\.scene) == ["root"])
    }

    @Test func `gives each entry an id of its own`() throws {
        let navigation = try NavigationViewModel.harness()
        for _ in 0..<3 {
            try navigation.send(\.inputs.push, "about")
            try navigation.send(\.inputs.back)
            try navigation.send(\.inputs.push, "about")
        }
        #expect(Set(try navigation.scenes.map(\.id)).count == 4)
    }

    @Test func `opens a registered scene for a client, with arguments as they were sent`() throws {
        let navigation = try NavigationViewModel.harness()
        let opened = try navigation.client.request(
            "coordinator.open",
            ["scene": "about", "arguments": ["page": .number("1.50")]]
        )
        let top = navigation.client.picture(of: "coordinator")?["scenes"]?[1]
        #expect(top?["id"] == opened["id"])
        #expect(top?["arguments"]?["page"] == .number("1.50"))
        #expect(top?["style"] == "push")
        try navigation.client.request("coordinator.open", ["scene": "about"])
        #expect(navigation.client.picture(of: "coordinator")?["scenes"]?[2]?["arguments"] == [:])
    }

    @Test func `refuses to open a scene that is not registered`() throws {
        let navigation = try NavigationViewModel.harness()
        let error = try #require(navigation.client.begin("coordinator.open", ["scene": "abuot"]).error)
        #expect(error.code == .invalidParams)
        #expect(error.data?["path"] == "/scene")
        #expect(error.data?["suggestions"] == ["about"])
        let wrong = navigation.client.begin("coordinator.open", ["scene": "about", "arguments": [1]]).error
        #expect(wrong?.data?["path"] == "/arguments")
    }

    @Test func `navigates in the frame that comes before the action's result`() throws {
        let navigation = try NavigationViewModel.harness()
        _ = navigation.client.takeReceived()
        let leave = navigation.client.begin("navigationViewModel.leave")
        let received = navigation.client.takeReceived()
        #expect(received.first?.frame?.instance == "coordinator")
        #expect(received.last == .result(id: leave.id, "scene-1"))
    }
}
