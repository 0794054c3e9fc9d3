import Accounts
import ViewModelKit

/// Signs the user in and out.
@ViewModel
public final class Door {
    /// The name of the signed-in user, null while nobody is signed in.
    @Output var user: String? { account.page.map { $0.nickname ?? $0.account } }

    private var canSignIn: Bool { !account.isSignedIn }
    private var canSignOut: Bool { account.isSignedIn }
    private let account: SessionAccount

    /// Signs in with a password.
    @Action(enabled: \Door.canSignIn)
    @Throws(AccountError.self)
    func signIn(name: String, password: Password) async throws {
        try await account.signIn(name, password: password)
    }

    /// Signs out in all sessions of the user.
    @Action(enabled: \Door.canSignOut) func signOut() async throws { try await account.signOut() }
}
