import Accounts
import ViewModelKit

/// What was typed to sign in, and the ways in and out.
///
/// Isolation: confined to its session.
final class LoginForm {
    /// What was typed; nil until something was.
    let account = Cell<String?>(nil)
    let password = Cell<Password?>(nil)
    private let session: SessionAccount
    private let coordinator: Coordinator
    private let prompter: Prompter
    private let clock: SessionClock
    /// Ends the time for which the password of a failed sign-in is kept.
    private var forgetting: SessionTimer?

    init(session: SessionAccount, coordinator: Coordinator, prompter: Prompter, clock: SessionClock) {
        self.session = session
        self.coordinator = coordinator
        self.prompter = prompter
        self.clock = clock
    }

    /// Whether both fields are as they must be.
    var isValid: Bool {
        guard let account = account.value, let password = password.value else { return false }
        return LoginRules.problem(ofAccount: account) == nil && LoginRules.problem(ofPassword: password) == nil
    }

    func type(_ text: Password) {
        forgetting = nil
        password.value = text
    }

    func submit() async throws -> AccountUser {
        let credentials = Credentials(account: account.untracked ?? "", password: password.untracked ?? "")
        do {
            return entered(try await session.service.signIn(credentials, of: session.uid))
        } catch let error as AccountError {
            failed()
            if error.kind == .invalidCredentials { prompter.hint(error.description, level: .error) }
            throw error.failure
        } catch {
            failed()
            throw error
        }
    }

    /// Shows what became of the account, and forgets the password unless it is sent or typed again within a minute.
    private func failed() {
        session.catchUp()
        forgetting = clock.timer(after: .seconds(60)) { [weak self] in self?.password.value = nil }
    }

    func register(_ registration: Registration) async throws -> AccountUser {
        try LoginRules.check(registration)
        let credentials = Credentials(account: registration.account, password: registration.password)
        do {
            let nickname = registration.nickname
            let page = try await session.service.register(credentials, nickname: nickname, of: session.uid)
            return AccountUser(page)
        } catch let error as AccountError {
            throw error.failure
        }
    }

    func signInWithDevice() async throws -> AccountUser {
        do {
            let grant = try await session.service.beginDevice(of: session.uid)
            defer {
                session.service.endDevice(grant, of: session.uid)
                session.catchUp()
            }
            session.catchUp()
            return entered(try await granted(grant))
        } catch {
            // The reply follows the end of the attempt, which is told to sessions later.
            session.catchUp()
            throw (error as? AccountError)?.failure ?? error
        }
    }

    /// Asks at the provider's interval until it is granted, denied or too late (RFC 8628, section 3.5).
    private func granted(_ grant: DeviceGrant) async throws -> AccountPage {
        var interval = grant.interval
        while true {
            // The last question is asked when the code expires: the provider's answer takes it from the screen.
            try await clock.sleep(for: min(interval, grant.remaining))
            do {
                let (answer, page) = try await session.service.poll(grant, of: session.uid)
                if let page { return page }
                if case .slowDown = answer { interval += .seconds(5) }
            } catch let error as AccountError where error.kind == .unreachable {
                interval = min(max(interval * 2, error.retryAfter ?? .zero), .seconds(3_600))
            }
        }
    }

    func signOut() async throws {
        try await session.service.signOut(of: session.uid)
        session.catchUp()
    }

    /// All that a success shows, in one step: the account, the empty field, the way back.
    private func entered(_ page: AccountPage) -> AccountUser {
        session.catchUp()
        forgetting = nil
        password.value = nil
        if coordinator.top.scene == "login" { coordinator.back() }
        return AccountUser(page)
    }
}
