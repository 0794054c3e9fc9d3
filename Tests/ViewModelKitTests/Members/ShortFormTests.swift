import Testing
public import ViewModelKit
import ViewModelProtocol
import ViewModelTesting

@Suite struct `A ViewModel in the short form` {
    private func weather() throws -> (Harness<Weather>, Effect<String, Forecast>) {
        let effect = Effect<String, Forecast>()
        let harness = try Harness(Weather.self) { context in Weather(forecasts: effect, clock: context.clock) }
        return (harness, effect)
    }

    @Test func `has a field, which is an input and an output`() throws {
        let (harness, _) = try weather()
        try harness.send(\.inputs.town, "Bonn")
        #expect(harness.viewModel.town == "Bonn")
        #expect(try harness.read(\.outputs.town) == "Bonn")
        #expect(try harness.read(\.outputs.summary) == "Bonn: –")
        #expect(harness.frames.last?.outputs == ["town", "summary", "look.enabled"])
    }

    @Test func `has actions with self, a gate and a policy`() throws {
        let (harness, forecasts) = try weather()
        #expect(try !harness.isEnabled(\.actions.look))
        try harness.send(\.inputs.town, "Bonn")
        #expect(try harness.isEnabled(\.$look))
        let first = harness.start(\.$look), second = harness.start(\.$look)
        forecasts.complete(with: Forecast(text: "rain"))
        #expect(throws: Refusal.self) { try first.result() }
        #expect(try second.result() == Forecast(text: "rain"))
        #expect(try harness.read(\.outputs.summary) == "Bonn: rain")
        #expect(try harness.events(\.outputs.arrived) == ["rain"])
    }

    @Test func `has a list that is told by its edits`() throws {
        let (harness, _) = try weather()
        try harness.send(\.inputs.add, .init(id: 7, name: "Bonn"))
        try harness.send(\.inputs.add, .init(id: 8, name: "Ulm"))
        try harness.send(\.inputs.rename, .init(id: 7, to: "Köln"))
        #expect(try harness.read(\.outputs.towns).map(\.name) == ["Köln", "Ulm"])
        #expect(try harness.read(\.outputs.names).map(\.id) == ["Köln", "Ulm"])
        #expect(throws: InvalidValue(expected: "the id of a row", found: "9")) {
            try harness.send(\.inputs.remove, 9)
        }
        try harness.send(\.inputs.remove, 7)
        #expect(harness.viewModel.towns.count == 1)
    }

    @Test func `declares its failures`() throws {
        let (harness, forecasts) = try weather()
        try harness.send(\.inputs.town, "X")
        let failure = #expect(throws: ActionFailure.self) { try harness.run(\.$look) }
        #expect(failure?.error == "unknownTown")
        #expect(failure?.message == "No town has this name.")
        #expect(failure?.details == .object(["suggestions": .encoding(["Bonn"])]))
        #expect(failure?.retryable == false)
        try harness.send(\.inputs.town, "Ulm")
        let refusal = ActionFailure("refused", message: "Not in Ulm", details: .object(["code": .integer(7)]))
        #expect(throws: refusal) { try harness.run(\.$look) }
        try harness.send(\.inputs.town, "Bonn")
        let call = harness.start(\.$look)
        forecasts.fail(with: CancellationError())
        #expect(throws: ActionFailure("unreachable", message: "The forecasts cannot be reached.", retryable: true)) {
            try call.result()
        }
    }

    @Test func `shows its failures in the contract`() throws {
        let (harness, _) = try weather()
        let document = try harness.client.request("rpc.discover")
        let errors = document["x-viewModels"]?["weather"]?["actions"]?["look"]?["errors"]
        let expected = #"""
            [{"error":"unreachable","description":"The forecasts cannot be reached.","retryable":true,"details":null},
             {"error":"unknownTown","description":"No town has this name.","retryable":false,
              "details":{"type":"object","properties":{"suggestions":{"type":"array","items":{"type":"string"}}},
                         "required":["suggestions"]}},
             {"error":"refused","description":"The provider says why.","retryable":false,
              "details":{"type":"object","properties":{"code":{"type":"integer","format":"int64"}},"required":["code"]}},
             {"error":"other","description":"","retryable":false,"details":null}]
            """#
        #expect(errors == JSONValue(text: expected))
    }

    @Test func `takes labels that are keywords, default values and types with several arguments`() throws {
        let harness = try Harness(Corner.self) { _ in Corner() }
        try harness.send(\.inputs.wait, .init(for: 7, in: nil))
        #expect(try harness.read(\.outputs.text) == "7 in 3")
        try harness.send(\.inputs.wait, .init(for: 7, in: 1))
        #expect(try harness.read(\.outputs.text) == "7 in 1")
        try harness.run(\.actions.take, ["a": 1])
        #expect(try harness.read(\.outputs.`default`) == 1)
        let errors = try harness.client.request("rpc.discover")["x-viewModels"]?["corner"]?["actions"]?["take"]?[
            "errors"
        ]
        #expect(errors?.arrayValue?.count == 4)
    }

    @Test func `works inside of another one without being hosted`() throws {
        let harness = try Harness(Shell.self) { _ in Shell() }
        try harness.send(\.inputs.poke)
        #expect(try harness.read(\.outputs.text) == "1 in 2")
    }

    @Test func `is released when its instance is closed`() throws {
        let (harness, _) = try weather()
        try harness.client.request("viewModel.open", ["type": "weather", "id": "other"])
        weak let weather: Weather? = try harness.client.viewModel("other")
        #expect(weather != nil)
        try harness.client.request("viewModel.close", ["id": "other"])
        #expect(weather == nil)
    }
}

/// The weather where one is.
@ViewModel
private final class Weather {
    @Field(.session) var town = ""
    @Output private(set) var forecast: Forecast?
    @Output var summary: String { "\(town): \(forecast?.text ?? "–")" }
    @Output(.session) var towns: Rows<Town>
    @Rows var names: Array<Name> { towns.map { Name(id: $0.name) } }
    @Event var arrived: String

    private let forecasts: Effect<String, Forecast>
    private let clock: SessionClock
    private var canLook: Bool { !town.isEmpty }

    init(forecasts: Effect<String, Forecast>, clock: SessionClock) {
        self.forecasts = forecasts
        self.clock = clock
    }

    @Input func add(_ town: Town) { towns.upsert(town) }

    @Input func rename(_ id: Int, to name: String) throws { try towns.update(id: id) { $0.name = name } }

    @Input func remove(_ id: Int) throws { try towns.remove(id: id) }

    /// Looks the typed town up; a newer look-up takes the older one's place.
    @Action(.latest, enabled: \Weather.canLook)
    func look() async throws(LookFailure) -> Forecast {
        guard town != "Ulm" else { throw .refused(message: "Not in Ulm", code: 7) }
        guard town.count > 1 else { throw .unknownTown(suggestions: ["Bonn"]) }
        let found: Forecast
        do {
            found = try await forecasts(town)
        } catch {
            throw .unreachable
        }
        forecast = found
        $arrived.send(found.text)
        return found
    }

    @Action func count(_ to: Int, execution: Execution) async {
        for number in 1...to { execution.progress = Double(number) / Double(to) }
    }

    @Action func forget() {
        forecast = nil
        towns.replaceAll(with: [])
    }
}

/// A public ViewModel with names and types at the corners of the language.
@ViewModel
public final class Corner {
    @Output private(set) var text = ""
    /// The number of all values.
    @Output public private(set) var `default` = 0

    /// Shows its values.
    @Input public func wait(for number: Int, in seconds: Int = 7 == 2 ? 1 : 3) {
        text = "\(number) in \(seconds)"
    }

    @Action @Throws(LookFailure.self) func take(_ numbers: Dictionary<String, Int>) throws {
        guard !numbers.isEmpty else { throw InvalidValue(expected: "numbers", found: "none") }
        `default` += numbers.count
    }
}

/// A ViewModel that uses another one without hosting it.
@ViewModel
private final class Shell {
    @Output var text: String { corner.text }

    private let corner = Corner()

    @Input func poke() { corner.$wait.send(.init(for: 1, in: 2)) }
}

/// Why a look-up failed.
@Failure
private enum LookFailure {
    /// The forecasts cannot be reached.
    @Retryable case unreachable
    /// No town has this name.
    case unknownTown(suggestions: [String])
    /// The provider says why.
    case refused(message: String, code: Int)
    case other
}

@Schemable
private struct Forecast {
    let text: String
}

@Schemable
private struct Town: Identifiable {
    let id: Int
    var name: String
}

@Schemable
private struct Name: Identifiable {
    let id: String
}
