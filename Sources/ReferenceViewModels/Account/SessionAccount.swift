import Accounts
import ViewModelKit

/// The account of the session's user, shared by the session's ViewModels.
///
/// Isolation: confined to its session.
final class SessionAccount {
    let service: AccountService
    let uid: UInt32
    /// The current account.
    let snapshot: Signal<AccountSnapshot>
    private let asked: Cell<AccountSnapshot>

    init(service: AccountService, uid: UInt32) {
        self.service = service
        self.uid = uid
        let told = Cell(service.snapshot(of: uid))
        let asked = Cell(told.untracked)
        self.asked = asked
        // A snapshot from the stream may be older than the one that `catchUp` has read.
        snapshot = Derived { told.value.revision > asked.value.revision ? told.value : asked.value }
        told.follow(service.snapshots(of: uid))
    }

    /// Whether the user is signed in.
    var isSignedIn: Signal<Bool> { snapshot.map { $0.state == .signedIn } }

    /// Updates the account in this step, before the service's stream delivers the change.
    func catchUp() {
        let now = service.snapshot(of: uid)
        if now.revision > asked.untracked.revision { asked.value = now }
    }
}

extension ViewModelContext {
    /// Returns the account of the session's user.
    ///
    /// - Throws: `MissingService` if the catalog provides no `AccountService`.
    func account() throws -> SessionAccount {
        let service = try service(AccountService.self)
        return shared { SessionAccount(service: service, uid: uid) }
    }
}
