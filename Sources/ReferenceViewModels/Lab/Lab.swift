import Foundation
import ViewModelKit

/// A ViewModel for people who test clients, with every kind of input, output and action.
@ViewModel
final class Lab {
    /// The value that was set or counted last.
    @Output private(set) var value = 0
    /// Twice the value.
    @Output var double: Int { value * 2 }
    /// The rows that `append`, `update`, `move` and `removeRows` change.
    @Output var rows: Rows<Row> = []
    /// The value that was echoed last.
    @Output private(set) var echoed: JSON = .null
    /// Occurs on each `ring`, with its text.
    @Event var bell: String
    /// A value of each type that values can have, as `setSample` set it.
    @Output private(set) var sample: LabSample = LabSample()
    /// A field that the ViewModel rewrites: the text without white space around it, in upper case.
    @Output var code: String { normalizedCode }
    /// A field that refuses a text with a digit, and then keeps its value.
    @Field(check: Lab.checkWord) var word = ""

    @State private var normalizedCode = ""
    private static let limit = 1 << 53
    private let coordinator: Coordinator
    private let prompter: Prompter
    private let clock: SessionClock
    private var lastID = 0
    private var completedSleeps = 0

    init(coordinator: Coordinator, prompter: Prompter, clock: SessionClock) {
        self.coordinator = coordinator
        self.prompter = prompter
        self.clock = clock
    }

    // MARK: Inputs

    /// Sets `value`, from -2⁵³ to 2⁵³.
    @Bounds(-9_007_199_254_740_992...9_007_199_254_740_992)
    @Input func set(_ number: Int) { value = number }

    /// Appends this number of rows, at most 10⁷; an id is never used twice.
    @Bounds(0...10_000_000)
    @Input func append(_ count: Int) {
        let first = lastID + 1
        lastID += count
        rows.append(contentsOf: (first..<first + count).lazy.map { Row(id: $0, text: "row \($0)") })
    }

    /// Replaces the text of a row.
    @Input func update(id: Int, text: String) throws {
        guard let index = rows.index(of: id) else {
            throw InvalidValue(path: "/id", expected: "the id of a row", found: "\(id)")
        }
        rows.replace(Row(id: id, text: text), at: index)
    }

    /// Moves a row from one index to another, like `move` of RFC 6902.
    @Input func move(from: Int, to: Int) throws {
        for (path, index) in [("/from", from), ("/to", to)] where !(0..<rows.count).contains(index) {
            let expected = rows.count == 0 ? "rows to move" : "an index from 0 to \(rows.count - 1)"
            throw InvalidValue(path: path, expected: expected, found: "\(index)")
        }
        rows.move(from: from, to: to)
    }

    /// Removes the rows with these ids and ignores unknown ids.
    @Input func removeRows(_ ids: [Int]) { rows.removeAll(ids: ids) }

    /// Emits the event `bell`.
    @Input func ring(_ text: String) { $bell.send(text) }

    /// Sets `echoed` to any JSON value.
    @Input func echo(_ value: JSON) { echoed = value }

    /// Sets `sample`.
    @Input func setSample(_ sample: LabSample) { self.sample = sample }

    /// Sets the field `code`, whose output shows the text without white space around it, in upper case.
    @Input func code(_ text: String) {
        normalizedCode = text.trimmingCharacters(in: .whitespacesAndNewlines).uppercased()
    }

    private static func checkWord(_ text: String) throws {
        guard !text.contains(where: \.isNumber) else {
            throw InvalidValue(expected: "a text without digits", found: text)
        }
    }

    /// Sends the event `prompter.hint` with this text and level.
    @Input func hint(text: String, level: Hint.Level = .info) { prompter.hint(text, level: level) }

    // MARK: Actions

    /// Sleeps; a second call is refused during the first.
    @Action func sleep(milliseconds: Int) async throws -> SleepResult { try await nap(milliseconds) }

    /// Sleeps; a second call cancels the first.
    @Action(.latest)
    func sleepLatest(milliseconds: Int) async throws -> SleepResult { try await nap(milliseconds) }

    /// Sleeps; calls run one after the other.
    @Action(.queued)
    func sleepQueued(milliseconds: Int) async throws -> SleepResult { try await nap(milliseconds) }

    /// Sleeps; calls run concurrently.
    @Action(.concurrent)
    func sleepConcurrent(milliseconds: Int) async throws -> SleepResult { try await nap(milliseconds) }

    /// Sleeps; a second call joins the first.
    @Action(.shared)
    func sleepShared(milliseconds: Int) async throws -> SleepResult { try await nap(milliseconds) }

    private func nap(_ milliseconds: Int) async throws -> SleepResult {
        guard milliseconds >= 0 else {
            throw InvalidValue(path: "/milliseconds", expected: "0 or more", found: "\(milliseconds)")
        }
        try await clock.sleep(for: .milliseconds(milliseconds))
        completedSleeps += 1
        return SleepResult(slept: milliseconds, order: completedSleeps)
    }

    /// Fails with the error of this name.
    @Action func fail(error: String, retryable: Bool = false) throws {
        throw ActionFailure(error, retryable: retryable)
    }

    /// Throws an unexpected error, which is reported as an incident.
    @Action func trap() throws { throw Trap() }

    /// Raises `value` to `to` one by one, with one step for each increment.
    ///
    /// `every` is the time between two steps in milliseconds.
    @Action func count(to: Int, every: Int = 0, _ execution: Execution) async throws {
        guard every >= 0 else {
            throw InvalidValue(path: "/every", expected: "milliseconds, 0 or more", found: "\(every)")
        }
        guard to <= Self.limit else {
            throw InvalidValue(path: "/to", expected: "an integer up to \(Self.limit)", found: "\(to)")
        }
        let start = value
        let total = to.subtractingReportingOverflow(start)
        while value < to {
            value += 1
            if !total.overflow {
                execution.progress = Double(value - start) / Double(max(total.partialValue, 1))
            }
            if value < to { try await clock.sleep(for: .milliseconds(every)) }
        }
    }

    /// Shows a prompt and returns the button that the person chose.
    @Action(.concurrent)
    func ask(title: String) async throws -> Choice {
        let buttons: [Prompt.Button] = [
            .init(id: "ok", title: "OK"), .init(id: "cancel", title: "Cancel", role: .cancel),
        ]
        return Choice(button: try await prompter.confirm(title, buttons: buttons))
    }

    /// Shows a prompt of any kind and returns how it was answered.
    ///
    /// A `confirm` prompt has a button of each role: `ok` (default), `delete` (destructive) and `cancel` (cancel). An
    /// `input` prompt has `ok` and `cancel`. A `busy` prompt is removed after `milliseconds`.
    @Action(.concurrent)
    func prompt(kind: Prompt.Kind, title: String, message: String? = nil, milliseconds: Int = 1000) async throws
        -> LabAnswer
    {
        guard milliseconds >= 0 else {
            throw InvalidValue(path: "/milliseconds", expected: "0 or more", found: "\(milliseconds)")
        }
        var answer = LabAnswer()
        switch kind {
        case .alert:
            try await prompter.alert(title, message: message)
        case .confirm:
            answer.button = try await prompter.confirm(title, message: message, buttons: LabAnswer.buttonsOfEachRole)
        case .input:
            answer.text = try await prompter.input(title, message: message, buttons: LabAnswer.inputButtons)
        case .busy:
            try await prompter.busy(title) { try await clock.sleep(for: .milliseconds(milliseconds)) }
        }
        return answer
    }

    /// Books seats in a hall where 10 seats are left, always.
    ///
    /// It shows declared failures: up to 10 seats are booked, up to 99 fail with `soldOut` and its details, up to 999
    /// fail with `officeBusy`, which is retryable, and more fail with `officeClosed`, which has no details.
    @Action func book(seats: Int) throws(BookingFailure) -> Booking {
        switch seats {
        case ..<11: return Booking(seats: max(seats, 0))
        case ..<100: throw .soldOut(seatsLeft: 10, nextShow: LabSample.moment)
        case ..<1000: throw .officeBusy(seconds: 2.5)
        default: throw .officeClosed
        }
    }

    /// Pushes a scene with any name.
    @Action func open(scene: String) throws -> OpenedScene {
        guard let id = coordinator.push(scene) else { throw coordinator.limitExceeded }
        return OpenedScene(id: id)
    }
}

extension Lab {
    /// A row of `rows`.
    @Schemable
    struct Row: Identifiable {
        /// A number from 1 on, never used twice.
        let id: Int
        var text: String
    }

    /// The result of the sleeping actions.
    @Schemable
    struct SleepResult {
        let slept: Int
        /// The number of completed sleeps including this one.
        let order: Int
    }

    /// The result of `ask`.
    @Schemable
    struct Choice {
        let button: String
    }
}

/// An unexpected error for `trap`.
private struct Trap: Error {}
