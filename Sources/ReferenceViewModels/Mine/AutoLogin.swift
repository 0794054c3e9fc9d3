import Accounts
import ViewModelKit
import ViewModelProtocol

/// The sign-in with the stored token, repeated with a backoff while the backend is unreachable.
///
/// Isolation: confined to its session.
final class AutoLogin {
    /// Runs the action `autoLogin` again; released with the action.
    var rerun: (() -> Void)?
    private let account: SessionAccount
    private let prompter: Prompter
    private let clock: SessionClock
    private var backoff = Backoff(maximum: .seconds(60))
    private var timer: SessionTimer?

    init(account: SessionAccount, prompter: Prompter, clock: SessionClock) {
        self.account = account
        self.prompter = prompter
        self.clock = clock
    }

    func run() async throws -> AccountUser? {
        timer = nil
        do {
            let user = try await signIn()
            backoff.reset()
            return user
        } catch let error as AccountError {
            account.updateNow()
            if error.kind == .unreachable {
                let delay = backoff.delay(atLeast: error.retryAfter)
                timer = clock.timer(after: delay) { [weak self] in self?.rerun?() }
            }
            throw error.failure
        } catch {
            account.updateNow()
            throw error
        }
    }

    func refresh() async throws {
        do {
            guard try await signIn() != nil else {
                throw AccountError(.signedOut, "Nobody is signed in any more")
            }
        } catch let error as AccountError {
            account.updateNow()
            throw error.failure
        }
    }

    private func signIn() async throws -> AccountUser? {
        let outcome = try await account.service.autoLogin(of: account.uid)
        account.updateNow()
        switch outcome {
        case .noToken: return nil
        case .signedIn(let page): return AccountUser(page)
        case .refused(let text):
            prompter.hint(text, level: .error)
            return nil
        }
    }
}
