import Accounts
import ViewModelKit

/// Signs the user in and out; all sessions of the user share the account.
@ViewModel
final class Login {
    /// The sign-in state of the user.
    @Output var state: AccountState { userAccount.state }
    /// The problem with the account's name; null for a valid name and before one is typed.
    @Output var accountProblem: String? { typedAccount.flatMap(LoginRules.problem(ofAccount:)) }
    /// The problem with the password; null for a valid password and before one is typed.
    @Output var passwordProblem: String? { typedPassword.flatMap(LoginRules.problem(ofPassword:)) }
    /// The signed-in user, or null.
    @Output var user: AccountUser? { isSignedIn ? userAccount.page.map(AccountUser.init) : nil }
    /// The code to type and the address for it, during a sign-in on another device.
    @Output var device: DevicePrompt? { userAccount.device }

    @State private var typedAccount: String?
    @State private var typedPassword: Password?
    /// Clears the password one minute after a failed sign-in.
    private var passwordExpiry: SessionTimer?
    private let userAccount: SessionAccount
    private let coordinator: Coordinator
    private let prompter: Prompter
    private let clock: SessionClock

    init(account: SessionAccount, coordinator: Coordinator, prompter: Prompter, clock: SessionClock) {
        userAccount = account
        self.coordinator = coordinator
        self.prompter = prompter
        self.clock = clock
    }

    // MARK: Gates

    private var isSignedIn: Bool { userAccount.isSignedIn }
    private var canRegister: Bool { userAccount.features.registration }
    private var canSignInWithDevice: Bool { userAccount.features.device && !isSignedIn }
    private var canSubmit: Bool {
        guard userAccount.features.password, !isSignedIn, let typedAccount, let typedPassword else {
            return false
        }
        return LoginRules.problem(ofAccount: typedAccount) == nil
            && LoginRules.problem(ofPassword: typedPassword) == nil
    }

    // MARK: Inputs

    /// The account's name, 3 to 64 characters and at most 1,024 bytes.
    @Input func account(_ name: String) throws {
        try LoginRules.checkLength(of: name)
        typedAccount = name
    }

    /// The password, at least 8 characters and at most 1,024 bytes; no output shows it.
    @Input func password(_ password: Password) throws {
        try LoginRules.checkLength(of: password.revealed)
        passwordExpiry = nil
        typedPassword = password
    }

    // MARK: Actions

    /// Signs in with the typed account and password.
    @Action(enabled: \Login.canSubmit)
    @Throws(SignInFailure.self)
    func submit() async throws -> AccountUser {
        do {
            return completeSignIn(try await userAccount.signIn(typedAccount ?? "", password: typedPassword ?? ""))
        } catch {
            // The password is cleared after a minute, unless it is typed again or accepted.
            passwordExpiry = clock.timer(after: .seconds(60)) { [weak self] in self?.typedPassword = nil }
            if let error = error as? AccountError, error.kind == .invalidCredentials {
                prompter.hint(error.description, level: .error)
            }
            throw error
        }
    }

    /// Creates an account without signing in to it.
    @Action(enabled: \Login.canRegister)
    @Throws(RegistrationFailure.self)
    func register(_ registration: Registration) async throws -> AccountUser {
        try LoginRules.check(registration)
        return AccountUser(
            try await userAccount.register(
                registration.account,
                password: registration.password,
                nickname: registration.nickname
            )
        )
    }

    /// Signs in on another device and shows `device` until the sign-in is granted there.
    @Action(enabled: \Login.canSignInWithDevice)
    @Throws(SignInFailure.self)
    func signInWithDevice() async throws -> AccountUser {
        completeSignIn(try await userAccount.signInWithDevice())
    }

    /// Signs out and removes the token and the fetched page.
    @Action(enabled: \Login.isSignedIn)
    func signOut() async throws { try await userAccount.signOut() }

    /// Clears the password and leaves the scene `login`, all in one step.
    private func completeSignIn(_ page: AccountPage) -> AccountUser {
        passwordExpiry = nil
        typedPassword = nil
        if coordinator.top.scene == "login" { coordinator.back() }
        return AccountUser(page)
    }
}
