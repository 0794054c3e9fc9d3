import Testing
import ViewModelKit
import ViewModelTesting

/// Receives letters while it is online.
@ViewModel
private final class Postbox {
    @Field(.session) var isOnline = false
    @Field(.session) var limit = 0
    @Output private(set) var letters: [String] = []
    @Output var problem: String? { $receive.failure.value?.error }

    private var isOpen: Bool { isOnline && letters.count < limit }
    private let server: Effect<Int, String>

    init(server: Effect<Int, String>) { self.server = server }

    /// Is false and true again in one step.
    @Input func blink() {
        isOnline.toggle()
        isOnline.toggle()
    }

    @Action(.queued, runs: .while(\Postbox.isOpen))
    private func receive() async throws {
        while true {
            let letter = try await server(letters.count)
            guard letter != "stop" else { return }
            guard letter != "broken" else { throw ActionFailure("broken") }
            letters.append(letter)
        }
    }
}

/// The same as a shared model.
@SharedModel
private final class Mail {
    @State(.session) var isOnline = true
    @State private(set) var letters: [String] = []
    private let server: Effect<Int, String>

    init(server: Effect<Int, String>) {
        self.server = server
        run(while: \.isOnline) { try await $0.receive() }
    }

    private func receive() async throws {
        while true {
            let letter = try await server(letters.count)
            guard letter != "broken" else { throw Unreadable() }
            letters.append(letter)
        }
    }
}

private struct Unreadable: Error {}

/// A model that fails when it observes its properties already.
@SharedModel
private final class Dud {
    @State var isOn = true

    init() throws {
        run(while: \.isOn) { $0.isOn = false }
        onChange(of: \.isOn) { $0.isOn = true }
        throw Unreadable()
    }
}

@ViewModel
private final class Stillborn {
    @Output var isOn: Bool { dud.isOn }
    private let dud: Dud
}

@ViewModel
private final class MailView {
    @Output var letters: [String] { mail.letters }
    private let mail: Mail

    @Input func setOnline(_ isOnline: Bool) { mail.isOnline = isOnline }
}

@Suite struct `An action that runs while a property is true` {
    private let server = Effect<Int, String>(endsWhenCancelled: false)
    private let postbox: Harness<Postbox>

    init() throws {
        postbox = try Harness(Postbox.self, providing: server)
        try postbox.send(\.inputs.limit, 2)
    }

    @Test func `begins with the property, and is cancelled with it, also by what it writes itself`() throws {
        #expect(server.calls.isEmpty)
        try postbox.send(\.inputs.isOnline, true)
        server.complete(with: "a")
        #expect(try postbox.read(\.outputs.letters) == ["a"])
        #expect(server.waiting.map(\.input) == [1])
        let call = try #require(server.waiting.first)
        try postbox.send(\.inputs.isOnline, false)
        #expect(call.isCancelled)
        // The next run waits for the end of the one that does not stop.
        try postbox.send(\.inputs.isOnline, true)
        #expect(server.calls.count == 2)
        call.complete(with: "b")
        #expect(try postbox.read(\.outputs.letters) == ["a", "b"])
        #expect(server.waiting.map(\.isCancelled) == [true])
    }

    @Test func `goes on if the property is false and true in one step`() throws {
        try postbox.send(\.inputs.isOnline, true)
        try postbox.send(\.inputs.limit, 3)
        try postbox.send(\.inputs.blink)
        #expect(server.calls.count == 1)
        #expect(server.waiting.map(\.isCancelled) == [false])
    }

    @Test func `a model whose init throws after it has begun runs nothing`() throws {
        #expect(throws: (any Error).self) { try Harness(Stillborn.self) }
    }

    @Test func `begins again with the next change after it has ended by itself`() throws {
        try postbox.send(\.inputs.isOnline, true)
        server.complete(with: "broken")
        #expect(try postbox.read(\.outputs.problem) == "broken")
        #expect(server.waiting.isEmpty)
        try postbox.send(\.inputs.isOnline, false)
        try postbox.send(\.inputs.isOnline, true)
        #expect(server.waiting.count == 1)
    }
}

@Suite struct `A session that is restored` {
    @Test func `runs the actions and the models whose property was restored as true`() throws {
        let server = Effect<Int, String>()
        var catalog = ViewModelCatalog()
        catalog.provide(server)
        try catalog.host(Postbox.self, MailView.self)
        let session = SessionHarness(catalog, savesSessions: true)
        let postbox = try session.open(Postbox.self), mail = try postbox.open(MailView.self)
        try postbox.send(\.inputs.limit, 2)
        try postbox.send(\.inputs.isOnline, true)
        try mail.send(\.inputs.setOnline, false)
        session.advance(by: .seconds(1))
        session.restart()
        let before = server.calls.count
        _ = try session.open(Postbox.self)
        #expect(server.calls.count == before + 1)
        try session.open(MailView.self).send(\.inputs.setOnline, true)
        #expect(server.calls.count == before + 2)
    }
}

@Suite struct `A shared model that runs while a property is true` {
    private let server = Effect<Int, String>()
    private let harness: Harness<MailView>

    init() throws { harness = try Harness(MailView.self, providing: server) }

    @Test func `begins at first, ends with the property, and begins again`() throws {
        _ = try harness.read(\.outputs.letters)
        server.complete(with: "a")
        #expect(try harness.read(\.outputs.letters) == ["a"])
        let call = try #require(server.waiting.first)
        try harness.send(\.inputs.setOnline, false)
        #expect(call.isCancelled)
        #expect(server.waiting.isEmpty)
        try harness.send(\.inputs.setOnline, true)
        #expect(server.waiting.map(\.input) == [1])
        #expect(harness.session.incidents.isEmpty)
    }

    @Test func `logs an error and ends with the session`() throws {
        _ = try harness.read(\.outputs.letters)
        server.complete(with: "broken")
        #expect(harness.session.incidents.count == 1)
        try harness.send(\.inputs.setOnline, false)
        try harness.send(\.inputs.setOnline, true)
        let call = try #require(server.waiting.first)
        try harness.client.request("session.close")
        harness.session.runUntilIdle()
        #expect(call.isCancelled)
    }
}
