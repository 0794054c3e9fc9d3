import JSONRPC

/// Questions and notices to the person, on any client of the session.
@ViewModel
public final class Prompter {
    /// Prompts that wait for an answer, the oldest first.
    @Output var pending: Rows<Prompt> = []
    /// A short message that needs no answer.
    @Event var hint: Hint

    /// Why an answer was not accepted.
    @Failure
    enum AnswerFailure {
        /// The prompt has been answered or is not needed any more.
        case alreadyAnswered
    }

    /// The questions that wait for an answer, by the ids of their prompts.
    private var questions: [String: (answered: OneShotEvent, answer: PromptAnswer?)] = [:]
    private var asked = 0

    package init() {}

    /// Sends a hint to all clients that bind the prompter.
    public func hint(_ text: String, level: Hint.Level = .info) {
        $hint.send(Hint(text: text, level: level))
    }

    /// Shows a notice and returns when the person has acknowledged it.
    ///
    /// - Parameters:
    ///   - title: the heading.
    ///   - message: more text, or nil.
    ///   - button: the text on the button.
    /// - Throws: `CancellationError` when the calling action is cancelled. The prompt is removed then.
    public func alert(_ title: String, message: String? = nil, button: String = "OK") async throws {
        _ = try await ask(.alert, title, message, [.init(id: "ok", title: button)])
    }

    /// Shows a question and returns the id of the chosen button.
    ///
    /// - Parameters:
    ///   - title: the question.
    ///   - message: more text, or nil.
    ///   - buttons: the possible answers.
    /// - Returns: the id of the chosen button.
    /// - Throws: `CancellationError` when the calling action is cancelled. The prompt is removed then.
    public func confirm(_ title: String, message: String? = nil, buttons: [Prompt.Button]) async throws -> String {
        try await ask(.confirm, title, message, buttons).button ?? buttons.first?.id ?? ""
    }

    /// Shows a question and returns whether the person agreed.
    ///
    /// - Parameters:
    ///   - title: the question.
    ///   - message: more text, or nil.
    ///   - accept: the text on the button that agrees. Its id is `ok`.
    ///   - cancel: the text on the button that changes nothing. Its id is `cancel`.
    /// - Returns: whether the person chose `accept`.
    /// - Throws: `CancellationError` when the calling action is cancelled. The prompt is removed then.
    public func confirm(
        _ title: String,
        message: String? = nil,
        accept: String,
        cancel: String = "Cancel"
    ) async throws -> Bool {
        let buttons: [Prompt.Button] = [.init(id: "ok", title: accept), .cancel(cancel)]
        return try await confirm(title, message: message, buttons: buttons) == "ok"
    }

    /// Shows a question about an effect that cannot be undone, as ``confirm(_:message:accept:cancel:)`` shows others.
    ///
    /// The button that agrees has the role `destructive`.
    public func confirm(
        _ title: String,
        message: String? = nil,
        destructive: String,
        cancel: String = "Cancel"
    ) async throws -> Bool {
        let buttons: [Prompt.Button] = [.init(id: "ok", title: destructive, role: .destructive), .cancel(cancel)]
        return try await confirm(title, message: message, buttons: buttons) == "ok"
    }

    /// Shows a question for a text.
    ///
    /// Returns the text, or nil if the person chose a cancel button.
    ///
    /// - Parameters:
    ///   - title: the question.
    ///   - message: more text, or nil.
    ///   - buttons: the possible answers.
    /// - Returns: the text, empty if the answer had none, or nil after a cancel button.
    /// - Throws: `CancellationError` when the calling action is cancelled. The prompt is removed then.
    public func input(_ title: String, message: String? = nil, buttons: [Prompt.Button]) async throws -> String? {
        let answer = try await ask(.input, title, message, buttons)
        let isCancelled = buttons.contains { $0.id == answer.button && $0.role == .cancel }
        return isCancelled ? nil : answer.text ?? ""
    }

    /// Shows a `busy` prompt while `work` runs.
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
        let answered = OneShotEvent()
        questions[prompt] = (answered, nil)
        defer {
            questions[prompt] = nil
            remove(prompt)
        }
        try await answered.wait()
        guard let answer = questions[prompt]?.answer else { throw CancellationError() }
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

    /// Answers a prompt; the first answer wins.
    @Action(.concurrent) @Throws(AnswerFailure.self)
    func answer(_ answer: PromptAnswer) throws {
        guard let index = pending.index(of: answer.id) else {
            guard hasBeen(answer.id) else {
                throw InvalidValue(
                    path: "/id",
                    expected: "the id of a pending prompt",
                    value: answer.id,
                    suggestions: pending.map(\.id)
                )
            }
            throw AnswerFailure.alreadyAnswered
        }
        let prompt = pending[index]
        guard let question = questions[answer.id] else {
            throw InvalidValue(path: "/id", expected: "a prompt that takes an answer", value: answer.id)
        }
        let buttons = prompt.buttons.map(\.id)
        let expected = "one of " + buttons.joined(separator: " ")
        if let button = answer.button {
            guard buttons.containsExactly(button) else {
                throw InvalidValue(path: "/button", expected: expected, value: button, suggestions: buttons)
            }
        } else if buttons.count > 1 {
            throw InvalidValue(path: "/button", expected: expected, found: "nothing")
        }
        let button = answer.button ?? buttons.first
        questions[answer.id]?.answer = PromptAnswer(id: answer.id, button: button, text: answer.text)
        pending.remove(at: index)
        question.answered.signal()
    }

    private func hasBeen(_ id: String) -> Bool {
        let number = Int(id.dropFirst("prompt-".count)) ?? 0
        return number > 0 && number <= asked && id == "prompt-\(number)"
    }
}
