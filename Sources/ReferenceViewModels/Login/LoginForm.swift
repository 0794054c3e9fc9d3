import Accounts
import ViewModelKit

/// The typed account and password of `login`, and its sign-in, registration and sign-out.
///
/// Isolation: confined to its session.
final class LoginForm {
    /// The typed text; nil before anything is typed.
    let accountName = Cell<String?>(nil)
    let password = Cell<Password?>(nil)
    private let account: SessionAccount
    private let coordinator: Coordinator
    private let prompter: Prompter
    private let clock: SessionClock
    /// Clears the password one minute after a failed sign-in.
    private var passwordExpiry: SessionTimer?

    init(account: SessionAccount, coordinator: Coordinator, prompter: Prompter, clock: SessionClock) {
        self.account = account
        self.coordinator = coordinator
        self.prompter = prompter
        self.clock = clock
    }

    /// Whether both fields are valid.
    var isValid: Bool {
        guard let account = accountName.value, let password = password.value else { return false }
        return LoginRules.problem(ofAccount: account) == nil && LoginRules.problem(ofPassword: password) == nil
    }

    func type(_ text: Password) {
        passwordExpiry = nil
        password.value = text
    }

    func submit() async throws -> AccountUser {
        let credentials = Credentials(account: accountName.untracked ?? "", password: password.untracked ?? "")
        do {
            return completeSignIn(try await account.service.signIn(credentials, of: account.uid))
        } catch let error as AccountError {
            handleFailure()
            if error.kind == .invalidCredentials { prompter.hint(error.description, level: .error) }
            throw error.failure
        } catch {
            handleFailure()
            throw error
        }
    }

    /// Updates the account, and clears the password after a minute unless it is typed again or accepted.
    private func handleFailure() {
        account.updateNow()
        passwordExpiry = clock.timer(after: .seconds(60)) { [weak self] in self?.password.value = nil }
    }

    func register(_ registration: Registration) async throws -> AccountUser {
        try LoginRules.check(registration)
        let credentials = Credentials(account: registration.account, password: registration.password)
        do {
            let nickname = registration.nickname
            let page = try await account.service.register(credentials, nickname: nickname, of: account.uid)
            return AccountUser(page)
        } catch let error as AccountError {
            throw error.failure
        }
    }

    func signInWithDevice() async throws -> AccountUser {
        do {
            let grant = try await account.service.beginDevice(of: account.uid)
            defer {
                account.service.endDevice(grant, of: account.uid)
                account.updateNow()
            }
            account.updateNow()
            return completeSignIn(try await pollUntilGranted(grant))
        } catch {
            // The end of the attempt must precede the reply, but the service's stream delivers it later.
            account.updateNow()
            throw (error as? AccountError)?.failure ?? error
        }
    }

    /// Polls at the provider's interval until the sign-in is granted, denied or expired (RFC 8628, section 3.5).
    private func pollUntilGranted(_ grant: DeviceGrant) async throws -> AccountPage {
        var interval = grant.interval
        while true {
            // The last poll runs when the code expires. Its answer ends the sign-in and removes the prompt.
            try await clock.sleep(for: min(interval, grant.remaining))
            do {
                let (answer, page) = try await account.service.poll(grant, of: account.uid)
                if let page { return page }
                if case .slowDown = answer { interval += .seconds(5) }
            } catch let error as AccountError where error.kind == .unreachable {
                interval = min(max(interval * 2, error.retryAfter ?? .zero), .seconds(3_600))
            }
        }
    }

    func signOut() async throws {
        try await account.service.signOut(of: account.uid)
        account.updateNow()
    }

    /// Updates the account, clears the password and leaves the scene `login`, all in one step.
    private func completeSignIn(_ page: AccountPage) -> AccountUser {
        account.updateNow()
        passwordExpiry = nil
        password.value = nil
        if coordinator.top.scene == "login" { coordinator.back() }
        return AccountUser(page)
    }
}
