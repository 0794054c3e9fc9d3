import Accounts
import ViewModelKit

/// Signs the user in and out; the account is the same in all sessions of the user.
@ViewModel
final class Login {
    struct Inputs {
        /// The account's name, 3 to 64 characters and at most 1,024 bytes.
        let account = Input<String>()
        /// The password, at least 8 characters and at most 1,024 bytes; it is shown nowhere.
        let password = Input<Password>()
    }
    struct Outputs {
        /// Whether somebody is signed in.
        let state: Output<AccountState>
        /// What is wrong with the account's name; null until it was typed.
        let accountProblem: Output<String?>
        /// What is wrong with the password; null until it was typed.
        let passwordProblem: Output<String?>
        /// Who is signed in.
        let user: Output<AccountUser?>
        /// What to type where, while somebody signs in on another device.
        let device: Output<DevicePrompt?>
    }
    struct Actions {
        /// Signs in with what was typed.
        let submit: Action<Void, AccountUser>
        /// Makes an account; nobody is signed in by it.
        let register: Action<Registration, AccountUser>
        /// Signs in on another device: shows `device` until it is granted there.
        let signInWithDevice: Action<Void, AccountUser>
        /// Signs out: the token and what was fetched are gone.
        let signOut: Action<Void, Void>
    }

    let inputs = Inputs(), outputs: Outputs, actions: Actions

    init(account session: SessionAccount, coordinator: Coordinator, prompter: Prompter, clock: SessionClock) {
        let entry = LoginForm(session: session, coordinator: coordinator, prompter: prompter, clock: clock)
        inputs.account.check { try LoginRules.checkLength(of: $0) }
        inputs.password.check { try LoginRules.checkLength(of: $0.revealed) }
        inputs.account.sink { entry.account.value = $0 }
        inputs.password.sink { entry.type($0) }
        let snapshot = session.snapshot
        outputs = Outputs(
            state: Output(snapshot.map(\.state)),
            accountProblem: Output { entry.account.value.flatMap(LoginRules.problem(ofAccount:)) },
            passwordProblem: Output { entry.password.value.flatMap(LoginRules.problem(ofPassword:)) },
            user: Output { snapshot.value.state == .signedIn ? snapshot.value.page.map(AccountUser.init) : nil },
            device: Output(snapshot.map(\.device))
        )
        let offered = session.service.provider.features
        actions = Actions(
            submit: Action(
                enabled: Derived { offered.password && entry.isValid && snapshot.value.state != .signedIn }
            ) { try await entry.submit() },
            register: Action(enabled: Cell(offered.registration)) { try await entry.register($0) },
            signInWithDevice: Action(
                enabled: Derived { offered.device && snapshot.value.state != .signedIn }
            ) { try await entry.signInWithDevice() },
            signOut: Action(enabled: session.isSignedIn) { try await entry.signOut() }
        )
    }
}
