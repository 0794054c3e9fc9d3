import Testing
import ViewModelKit
import ViewModelTesting

@Suite struct `An exhaustive part of a test` {
    private func thermostat() throws -> Harness<Thermostat> {
        try Harness(Thermostat.self) { context in Thermostat(prompter: context.prompter) }
    }

    @Test func `passes if each changed output is read after its last change`() throws {
        let harness = try thermostat()
        try harness.exhaustively {
            try harness.send(\.inputs.set, 30)
            #expect(try harness.read(\.outputs.target) == 30)
            #expect(try harness.read(\.outputs.isHot))
            #expect(try harness.isEnabled(\.actions.cool))
            #expect(try harness.events(\.outputs.warned) == ["hot"])
            #expect(try harness.hints.map(\.text) == ["hot"])
        }
    }

    @Test func `fails with each output that was not read, with its values before and after`() throws {
        let harness = try thermostat()
        try harness.send(\.inputs.set, 22)
        let failure = #expect(throws: HarnessError.self) {
            try harness.exhaustively {
                try harness.send(\.inputs.set, 30)
                #expect(try harness.isEnabled(\.actions.cool))
            }
        }
        #expect(
            failure?.description == """
                These outputs changed and were not looked at:
                prompter.hint: an event
                thermostat.isHot: false → true
                thermostat.target: 22 → 30
                thermostat.warned: an event
                """
        )
    }

    @Test func `fails if an output changes after it was read`() throws {
        let harness = try thermostat()
        let failure = #expect(throws: HarnessError.self) {
            try harness.exhaustively {
                try harness.send(\.inputs.set, 21)
                #expect(try harness.read(\.outputs.target) == 21)
                try harness.send(\.inputs.set, 22)
            }
        }
        #expect(failure?.description.contains("thermostat.target: 21 → 22") == true)
    }

    @Test func `passes over an output that has its former value again`() throws {
        let harness = try thermostat()
        try harness.exhaustively {
            try harness.send(\.inputs.set, 21)
            try harness.send(\.inputs.set, 20)
        }
    }

    @Test func `passes over what changes in a lenient part`() throws {
        let harness = try thermostat()
        try harness.exhaustively {
            try harness.leniently { try harness.send(\.inputs.set, 30) }
            try harness.send(\.inputs.set, 21)
            #expect(harness.picture["target"] == 21)
        }
        #expect(throws: HarnessError.self) {
            try harness.exhaustively { try harness.send(\.inputs.set, 22) }
        }
    }
}

/// The temperature of a room.
@ViewModel
final class Thermostat {
    /// The temperature to reach, in degrees Celsius.
    @Output private(set) var target = 20
    /// Whether it is too hot.
    @Output var isHot: Bool { target > 25 }
    /// A warning.
    @Event var warned: String

    private let prompter: Prompter
    private var canCool: Bool { isHot }

    init(prompter: Prompter) {
        self.prompter = prompter
    }

    /// Sets the temperature.
    @Input func set(_ target: Int) {
        self.target = target
        guard isHot else { return }
        $warned.send("hot")
        prompter.hint("hot")
    }

    /// Sets the temperature to 20 degrees.
    @Action(enabled: \Thermostat.canCool)
    func cool() { target = 20 }
}
