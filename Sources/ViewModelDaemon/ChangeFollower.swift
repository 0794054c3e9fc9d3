import Accounts
import ServiceLifecycle
import ViewModelServer
import ViewModelStorage

/// The service that reads again what other daemons with the same store have changed.
struct ChangeFollower: Service {
    let sharing: any SharedStorage
    let accounts: AccountService
    let outbox: OutboxService
    let server: ViewModelServer

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await sharing.run { change in
                switch change {
                case .account(let uid): await accounts.reread(uid)
                case .outbox(let uid): await outbox.reread(uid)
                case .values(let area): await server.reread(area)
                }
            }
        }
    }
}
