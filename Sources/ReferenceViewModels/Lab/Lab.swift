import ViewModelKit

/// A ViewModel for people who test clients, with every kind of input, output and action.
@ViewModel
final class Lab {
    struct Inputs {
        /// Sets `value`, from -2⁵³ to 2⁵³.
        let set = Input<Int>()
        /// Appends this number of rows, at most 10⁷; an id is never used twice.
        let append = Input<Int>()
        /// Replaces the text of a row.
        let update = Input<RowText>()
        /// Moves a row from one index to another, like `move` of RFC 6902.
        let move = Input<Move>()
        /// Removes the rows with these ids and ignores unknown ids.
        let removeRows = Input<[Int]>()
        /// Emits the event `bell`.
        let ring = Input<String>()
        /// Sets `echoed` to any JSON value.
        let echo = Input<JSON>()
    }
    struct Outputs {
        /// The value that was set or counted last.
        let value: Output<Int>
        /// Twice the value.
        let double: Output<Int>
        /// The rows that `append`, `update`, `move` and `removeRows` change.
        let rows: ListOutput<Row>
        /// The value that was echoed last.
        let echoed: Output<JSON>
        /// Occurs on each `ring`, with its text.
        let bell: Event<String>
    }
    struct Actions {
        /// Sleeps; a second call is refused during the first.
        let sleep: Action<Sleep, SleepResult>
        /// Sleeps; a second call cancels the first.
        @Policy(.latest) let sleepLatest: Action<Sleep, SleepResult>
        /// Sleeps; calls run one after the other.
        @Policy(.queued) let sleepQueued: Action<Sleep, SleepResult>
        /// Sleeps; calls run concurrently.
        @Policy(.concurrent) let sleepConcurrent: Action<Sleep, SleepResult>
        /// Sleeps; a second call joins the first.
        @Policy(.shared) let sleepShared: Action<Sleep, SleepResult>
        /// Fails with the error of this name.
        let fail: Action<Failure, Void>
        /// Throws an unexpected error, which is reported as an incident.
        let trap: Action<Void, Void>
        /// Raises `value` to `to` one by one, with one step for each increment.
        let count: Action<Count, Void>
        /// Shows a prompt and returns the button that the person chose.
        @Policy(.concurrent) let ask: Action<Question, Choice>
        /// Pushes a scene with any name.
        let open: Action<SceneName, OpenedScene>
    }

    let inputs = Inputs(), outputs: Outputs, actions: Actions

    init(coordinator: Coordinator, prompter: Prompter, clock: SessionClock) {
        let value = Cell(0)
        let echoed = Cell(JSON.null)
        let rows = LabRows()
        let bell = Event<String>()
        outputs = Outputs(
            value: Output(value),
            double: Output { value.value * 2 },
            rows: ListOutput(rows.cell),
            echoed: Output(echoed),
            bell: bell
        )
        let sleeper = Sleeper(clock: clock)
        actions = Actions(
            sleep: Action { try await sleeper.run($0) },
            sleepLatest: Action { try await sleeper.run($0) },
            sleepQueued: Action { try await sleeper.run($0) },
            sleepConcurrent: Action { try await sleeper.run($0) },
            sleepShared: Action { try await sleeper.run($0) },
            fail: Action { failure in
                throw ActionFailure(failure.error, retryable: failure.retryable ?? false)
            },
            trap: Action { () throws -> Void in throw Trap() },
            count: Action { count, execution in
                try await Self.count(count, value, clock, execution)
            },
            ask: Action { question in
                Choice(button: try await prompter.confirm(question.title, buttons: Question.buttons))
            },
            open: Action { request in
                guard let id = coordinator.push(request.scene) else { throw coordinator.limitExceeded }
                return OpenedScene(id: id)
            }
        )
        let limit = 1 << 53
        inputs.set.check { number in
            guard (-limit...limit).contains(number) else {
                throw InvalidValue(expected: "an integer from -\(limit) to \(limit)", found: "\(number)")
            }
        }
        inputs.set.assign(to: value)
        inputs.echo.assign(to: echoed)
        inputs.ring.sink { bell.send($0) }
        rows.wire(inputs)
    }

    private static func count(
        _ count: Count,
        _ value: Cell<Int>,
        _ clock: SessionClock,
        _ execution: Execution
    ) async throws {
        let pause = count.every ?? 0
        guard pause >= 0 else {
            throw InvalidValue(path: "/every", expected: "milliseconds, 0 or more", found: "\(pause)")
        }
        guard count.to <= 1 << 53 else {
            throw InvalidValue(path: "/to", expected: "an integer up to \(1 << 53)", found: "\(count.to)")
        }
        let start = value.untracked
        let total = count.to.subtractingReportingOverflow(start)
        while value.untracked < count.to {
            value.value += 1
            if !total.overflow {
                execution.progress = Double(value.untracked - start) / Double(max(total.partialValue, 1))
            }
            if value.untracked < count.to { try await clock.sleep(for: .milliseconds(pause)) }
        }
    }
}

/// An unexpected error for `trap`.
private struct Trap: Error {}
