import Accounts
import ViewModelKit
import ViewModelProtocol

/// The sign-in with the stored token, repeated with a backoff while the backend is unreachable.
///
/// Isolation: confined to its session.
final class AutoLogin {
    /// Runs the action `autoLogin` again; released with the action.
    var again: (() -> Void)?
    private let session: SessionAccount
    private let prompter: Prompter
    private let clock: SessionClock
    private var backoff = Backoff(maximum: .seconds(60))
    private var timer: SessionTimer?

    init(session: SessionAccount, prompter: Prompter, clock: SessionClock) {
        self.session = session
        self.prompter = prompter
        self.clock = clock
    }

    func run() async throws -> AccountUser? {
        timer = nil
        do {
            let user = try await outcome()
            backoff.reset()
            return user
        } catch let error as AccountError {
            session.catchUp()
            if error.kind == .unreachable {
                let delay = backoff.delay(atLeast: error.retryAfter)
                timer = clock.timer(after: delay) { [weak self] in self?.again?() }
            }
            throw error.failure
        } catch {
            session.catchUp()
            throw error
        }
    }

    func refresh() async throws {
        do {
            guard try await outcome() != nil else {
                throw AccountError(.signedOut, "Nobody is signed in any more")
            }
        } catch let error as AccountError {
            session.catchUp()
            throw error.failure
        }
    }

    private func outcome() async throws -> AccountUser? {
        let outcome = try await session.service.autoLogin(of: session.uid)
        session.catchUp()
        switch outcome {
        case .noToken: return nil
        case .signedIn(let page): return AccountUser(page)
        case .refused(let text):
            prompter.hint(text, level: .error)
            return nil
        }
    }
}
