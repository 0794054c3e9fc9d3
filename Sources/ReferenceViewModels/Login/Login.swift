import Accounts
import ViewModelKit

/// Signs the user in and out; all sessions of the user share the account.
@ViewModel
final class Login {
    struct Inputs {
        /// The account's name, 3 to 64 characters and at most 1,024 bytes.
        let account = Input<String>()
        /// The password, at least 8 characters and at most 1,024 bytes; no output shows it.
        let password = Input<Password>()
    }
    struct Outputs {
        /// The sign-in state of the user.
        let state: Output<AccountState>
        /// The problem with the account's name; null for a valid name and before one is typed.
        let accountProblem: Output<String?>
        /// The problem with the password; null for a valid password and before one is typed.
        let passwordProblem: Output<String?>
        /// The signed-in user, or null.
        let user: Output<AccountUser?>
        /// The code to type and the address for it, during a sign-in on another device.
        let device: Output<DevicePrompt?>
    }
    struct Actions {
        /// Signs in with the typed account and password.
        let submit: Action<Void, AccountUser>
        /// Creates an account without signing in to it.
        let register: Action<Registration, AccountUser>
        /// Signs in on another device and shows `device` until the sign-in is granted there.
        let signInWithDevice: Action<Void, AccountUser>
        /// Signs out and removes the token and the fetched page.
        let signOut: Action<Void, Void>
    }

    let inputs = Inputs(), outputs: Outputs, actions: Actions

    init(account: SessionAccount, coordinator: Coordinator, prompter: Prompter, clock: SessionClock) {
        let form = LoginForm(account: account, coordinator: coordinator, prompter: prompter, clock: clock)
        inputs.account.check { try LoginRules.checkLength(of: $0) }
        inputs.password.check { try LoginRules.checkLength(of: $0.revealed) }
        inputs.account.sink { form.accountName.value = $0 }
        inputs.password.sink { form.type($0) }
        let snapshot = account.snapshot
        outputs = Outputs(
            state: Output(snapshot.map(\.state)),
            accountProblem: Output { form.accountName.value.flatMap(LoginRules.problem(ofAccount:)) },
            passwordProblem: Output { form.password.value.flatMap(LoginRules.problem(ofPassword:)) },
            user: Output { snapshot.value.state == .signedIn ? snapshot.value.page.map(AccountUser.init) : nil },
            device: Output(snapshot.map(\.device))
        )
        let offered = account.service.provider.features
        actions = Actions(
            submit: Action(
                enabled: Derived { offered.password && form.isValid && snapshot.value.state != .signedIn }
            ) { try await form.submit() },
            register: Action(enabled: Cell(offered.registration)) { try await form.register($0) },
            signInWithDevice: Action(
                enabled: Derived { offered.device && snapshot.value.state != .signedIn }
            ) { try await form.signInWithDevice() },
            signOut: Action(enabled: account.isSignedIn) { try await form.signOut() }
        )
    }
}
