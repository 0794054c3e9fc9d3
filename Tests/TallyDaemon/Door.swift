import Accounts
import ViewModelKit

/// Signs the user in and out.
@ViewModel
final class Door {
    /// The signed-in account, null while the user is signed out.
    @Output var user: AccountPage? { account.page }

    private var canSignIn: Bool { !account.isSignedIn && account.features.password }
    private var canSignOut: Bool { account.isSignedIn }
    private let account: SessionAccount

    init(account: SessionAccount) {
        self.account = account
    }

    @Action(enabled: \Door.canSignIn)
    @Throws(AccountError.self)
    func signIn(name: String, password: Password) async throws -> AccountPage {
        try await account.signIn(name, password: password)
    }

    @Action(enabled: \Door.canSignOut)
    func signOut() async throws { try await account.signOut() }
}
