import Foundation
import LabClient
import Observation

/// The ViewModels of `viewmodeld --lab` in a terminal: `stty -icanon -echo; Desk SOCKET; stty sane`.
@main @MainActor
final class Desk {
    private let client: ViewModelClient
    private lazy var calculator = CalculatorModel(client)
    private lazy var lab = LabModel(client)
    private lazy var sendList = SendListModel(client)
    private lazy var mine = MineModel(client)
    private lazy var login = LoginModel(client)
    private lazy var coordinator = CoordinatorModel(client)
    private lazy var prompter = PrompterModel(client)
    private var (page, service, isPassword, account, password) = (0, 0, false, "", "")
    private var lastKey = ContinuousClock.now

    private init(socket: String) {
        var options = ClientOptions()
        options.session = SessionAttach.Params(session: SessionName("desk"))
        client = ViewModelClient(socket: socket, options: options)
        client.start()
    }

    static func main() async {
        let desk = Desk(socket: CommandLine.arguments.dropFirst().first ?? "/run/viewmodeld/viewmodeld.sock")
        let (texts, typed) = AsyncStream.makeStream(of: String.self)
        FileHandle.standardInput.readabilityHandler = { typed.yield(String(decoding: $0.availableData, as: UTF8.self)) }
        desk.draw()
        for await text in texts {
            for key in text { desk.press(String(key)) }
            desk.draw()
        }
    }

    /// Shows the page, and again when a value on it changes.
    private func draw() {
        let lines = withObservationTracking(screen) { Task { @MainActor [self] in draw() } }
        FileHandle.standardOutput.write(Data("\u{1B}[H\u{1B}[2J\(lines.joined(separator: "\n"))\n".utf8))
    }

    private func screen() -> [String] {
        let prompt = prompter.pending.first ?? nil
        let buttons = prompt?.buttons.enumerated().map { "\($0 + 1) \($1.title)" } ?? []
        return [lab.isOnline ? "Tab: next page" : "Offline", prompt?.title ?? ""] + buttons + content()
    }

    private func content() -> [String] {
        switch page {
        case 0:
            return [calculator.led ?? "", button("u", "Undo", calculator.undoAction)]
                + calculator.operations.suffix(10).map { $0?.text ?? "…" }
        case 1:
            let top = max(0, (lab.rows.selection ?? 0) - 5)
            lab.rows.show(top..<top + 10)
            let rows = (top..<top + 10).clamped(to: 0..<lab.rows.count)
            return ["Value \(lab.value ?? 0)", button("c", "Count", lab.countAction), "m Million, a Ask, j k g Select"]
                + rows.map { (lab.rows.selection == $0 ? "> " : "  ") + (lab.rows[$0]?.text ?? "…") }
        case 2:
            let buttons = [button("Enter", "Add", sendList.addAction), button("Ctrl-O", "Send", sendList.sendAction)]
            return ["\(sendList.draft.value ?? "")_"] + buttons
                + sendList.items.map { $0.map { "\($0.status.rawValue) \($0.text)" } ?? "…" }
        case 3 where isSigningIn:
            return [
                "Ctrl-B: back", "Account: \(account) \(login.accountProblem ?? "")",
                "Password: \(password.map { _ in "*" }.joined()) \(login.passwordProblem ?? "")",
                button("Enter", "Sign in", login.submitAction),
            ]
        default:
            return coordinator.scenes.map { "/ \($0?.scene ?? "…")" }
                + mine.services.enumerated().map { ($0 == service ? "> " : "  ") + ($1?.title ?? "…") }
        }
    }

    private func button(_ key: String, _ title: String, _ action: ModelAction) -> String {
        let progress = action.executing ? " \(Int((action.progress ?? 0) * 100)) %, x cancels" : ""
        return "\(action.enabled ? key : "-") \(title)\(progress) \(action.error?.description ?? "")"
    }

    private var isSigningIn: Bool { coordinator.scenes.last??.scene == "login" }

    private func press(_ key: String) {
        // A question takes no key that was meant for a text.
        let isPaused = lastKey.duration(to: .now) > .milliseconds(500)
        lastKey = .now
        let prompt = prompter.pending.first ?? nil
        let answer = prompt?.buttons.enumerated().first { isPaused && key == "\($0.offset + 1)" }?.element
        if let prompt, let answer { return prompter.answer(id: prompt.id, button: answer.id) }
        let typed = { (text: String) in key == "\u{7F}" ? String(text.dropLast()) : text + key }
        switch (page, key) {
        case (_, "\t"): page = (page + 1) % 4
        case (0, "u"): calculator.undo()
        case (0, _): calculator.press(Key(rawValue: key))
        case (1, "c"): lab.count(to: 100, every: 50)
        case (1, "x"): lab.countAction.cancel()
        case (1, "m"): lab.append(1_000_000)
        case (1, "a"): lab.ask(title: "Really?")
        case (1, "j"): lab.rows.selection = min((lab.rows.selection ?? -1) + 1, lab.rows.count - 1)
        case (1, "k"): lab.rows.selection = max((lab.rows.selection ?? 1) - 1, 0)
        case (1, "g"): lab.rows.selection = lab.rows.indices.last
        case (2, "\n"): sendList.add()
        case (2, "\u{0F}"): sendList.send()
        case (2, _): sendList.draft.edit(typed(sendList.draft.value ?? ""))
        case (3, "\u{02}"): coordinator.back()
        case (3, "\n") where isSigningIn && isPassword: login.submit()
        case (3, "\n") where isSigningIn: isPassword = true
        case (3, _) where isSigningIn && isPassword:
            password = typed(password)
            login.password(password)
        case (3, _) where isSigningIn:
            account = typed(account)
            login.account(account)
        case (3, "\n"): mine.select(mine.services[service]?.id ?? "")
        case (3, _): service = (service + 1) % max(1, mine.services.count)
        default: break
        }
    }
}
