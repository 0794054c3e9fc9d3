/// What must be shown to or asked of the person, on whatever client is there.
@ViewModel
public final class Prompter {
    struct Outputs {
        /// Prompts that wait for an answer, the oldest first.
        let pending: ListOutput<Prompt>
        /// A short message that nobody has to answer.
        let hint: Event<Hint>
    }
    struct Actions {
        /// Answers a prompt; the first answer wins.
        @Policy(.concurrent) let answer: Action<PromptAnswer, Void>
    }

    private final class Question {
        let gate = OneShotEvent()
        var answer: PromptAnswer?
    }

    let outputs: Outputs
    let actions: Actions
    private let pending: ListCell<Prompt>
    private var questions: [String: Question] = [:]
    private var asked = 0

    package init() {
        let pending = ListCell<Prompt>()
        self.pending = pending
        var answer: ((PromptAnswer) throws -> Void)?
        outputs = Outputs(pending: ListOutput(pending), hint: Event())
        actions = Actions(answer: Action { try answer?($0) })
        answer = { [unowned self] in try self.take($0) }
    }

    /// Tells every client something in passing.
    public func hint(_ text: String, level: Hint.Level = .info) {
        outputs.hint.send(Hint(text: text, level: level))
    }

    /// Tells something that has to be acknowledged; returns when it was.
    ///
    /// - Throws: `CancellationError` when the asking action is cancelled; the prompt goes with it.
    public func alert(_ title: String, message: String? = nil, button: String = "OK") async throws {
        _ = try await ask(.alert, title, message, [.init(id: "ok", title: button)])
    }

    /// Asks for a choice; gives the id of the button.
    ///
    /// - Throws: `CancellationError` when the asking action is cancelled; the prompt goes with it.
    public func confirm(_ title: String, message: String? = nil, buttons: [Prompt.Button]) async throws -> String {
        try await ask(.confirm, title, message, buttons).button ?? buttons.first?.id ?? ""
    }

    /// Asks for a text; nil when a cancel button was chosen.
    ///
    /// - Throws: `CancellationError` when the asking action is cancelled; the prompt goes with it.
    public func input(_ title: String, message: String? = nil, buttons: [Prompt.Button]) async throws -> String? {
        let answer = try await ask(.input, title, message, buttons)
        let isCancelled = buttons.contains { $0.id == answer.button && $0.role == .cancel }
        return isCancelled ? nil : answer.text ?? ""
    }

    /// Shows that something goes on while `work` runs.
    public func busy<Result>(_ title: String, _ work: () async throws -> Result) async rethrows -> Result {
        let prompt = add(.busy, title, nil, [])
        defer { remove(prompt) }
        return try await work()
    }

    private func ask(
        _ kind: Prompt.Kind,
        _ title: String,
        _ message: String?,
        _ buttons: [Prompt.Button]
    ) async throws -> PromptAnswer {
        let prompt = add(kind, title, message, buttons)
        let question = Question()
        questions[prompt] = question
        defer {
            questions[prompt] = nil
            remove(prompt)
        }
        try await question.gate.pass()
        guard let answer = question.answer else { throw CancellationError() }
        return answer
    }

    private func add(_ kind: Prompt.Kind, _ title: String, _ message: String?, _ buttons: [Prompt.Button]) -> String {
        asked += 1
        let id = "prompt-\(asked)"
        pending.append(Prompt(id: id, kind: kind, title: title, message: message, buttons: buttons))
        return id
    }

    private func remove(_ id: String) {
        if let index = pending.index(of: id) { pending.remove(at: index) }
    }

    private func take(_ answer: PromptAnswer) throws {
        guard let index = pending.index(of: answer.id) else {
            guard hasBeen(answer.id) else {
                throw InvalidValue(
                    path: "/id",
                    expected: "the id of a pending prompt",
                    found: answer.id,
                    suggestions: pending.value.map(\.id)
                )
            }
            throw ActionFailure("alreadyAnswered", message: "The prompt has been answered or is not needed any more")
        }
        let prompt = pending[index]
        guard let question = questions[answer.id] else {
            throw InvalidValue(path: "/id", expected: "a prompt that takes an answer", found: answer.id)
        }
        let buttons = prompt.buttons.map(\.id)
        let expected = "one of " + buttons.joined(separator: " ")
        if let button = answer.button {
            guard buttons.contains(button) else {
                throw InvalidValue(path: "/button", expected: expected, found: button, suggestions: buttons)
            }
        } else if buttons.count > 1 {
            throw InvalidValue(path: "/button", expected: expected, found: "nothing")
        }
        question.answer = PromptAnswer(id: answer.id, button: answer.button ?? buttons.first, text: answer.text)
        pending.remove(at: index)
        question.gate.open()
    }

    private func hasBeen(_ id: String) -> Bool {
        let prefix = "prompt-"
        guard id.hasPrefix(prefix), let number = Int(id.dropFirst(prefix.count)) else { return false }
        return (1...max(asked, 1)).contains(number) && asked > 0 && id == "\(prefix)\(number)"
    }
}
