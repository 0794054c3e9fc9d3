import Accounts
import ViewModelKit

/// The account of the session's user, as a value that the session's ViewModels share.
///
/// Isolation: confined to its session.
final class SessionAccount {
    let service: AccountService
    let uid: UInt32
    /// The account now.
    let snapshot: Signal<AccountSnapshot>
    private let asked: Cell<AccountSnapshot>

    init(service: AccountService, uid: UInt32) {
        self.service = service
        self.uid = uid
        let told = Cell(service.snapshot(of: uid))
        let asked = Cell(told.untracked)
        self.asked = asked
        // What was told may still be on its way when something newer has been asked for.
        snapshot = Derived { told.value.revision > asked.value.revision ? told.value : asked.value }
        told.follow(service.snapshots(of: uid))
    }

    /// Whether somebody is signed in.
    var isSignedIn: Signal<Bool> { snapshot.map { $0.state == .signedIn } }

    /// Shows in this step what has happened to the account so far, before it is told.
    func catchUp() {
        let now = service.snapshot(of: uid)
        if now.revision > asked.untracked.revision { asked.value = now }
    }
}

extension ViewModelContext {
    /// The account of the session's user.
    ///
    /// - Throws: `MissingService` where the catalog provides no `AccountService`.
    func account() throws -> SessionAccount {
        let service = try service(AccountService.self)
        return shared { SessionAccount(service: service, uid: uid) }
    }
}
