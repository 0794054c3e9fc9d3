import ServiceLifecycle
import ViewModelHost
import ViewModelServer
import ViewModelStorage

/// The service that reads again what other daemons with the same store have changed.
struct ChangeFollower: Service {
    let sharing: any SharedStorage
    let service: (any StorageService)?
    let server: ViewModelServer

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await sharing.run { change in
                if change.topic == .values, let area = ValueArea(number: change.uid) {
                    return await server.reread(area)
                }
                return await service?.reread(change) ?? true
            }
        }
    }
}
