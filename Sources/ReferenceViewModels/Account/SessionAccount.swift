import Accounts
import ViewModelKit

/// The account of the session's user, shared by the session's ViewModels.
///
/// Isolation: confined to its session.
final class SessionAccount {
    let service: AccountService
    let uid: UInt32
    /// The current account.
    @State private(set) var snapshot: AccountSnapshot
    private let newest: NewestSnapshot<AccountSnapshot>

    init(service: AccountService, uid: UInt32) {
        self.service = service
        self.uid = uid
        let first = service.snapshot(of: uid)
        snapshot = first
        let newest = NewestSnapshot(after: first) { service.snapshot(of: uid) }
        self.newest = newest
        $snapshot.follow(service.snapshots(of: uid)) { newest.newer($0) }
    }

    /// Whether the user is signed in.
    var isSignedIn: Bool { snapshot.state == .signedIn }

    /// Updates the account in this step, before the service's stream delivers the change.
    func updateNow() {
        if let account = newest.newer() { snapshot = account }
    }
}

/// The signed-in user.
@Schemable
struct AccountUser {
    /// The name that the account signs in with.
    let account: String
    /// The name by which the person is addressed.
    let nickname: String?

    init(_ page: AccountPage) {
        account = page.account
        nickname = page.nickname
    }
}
