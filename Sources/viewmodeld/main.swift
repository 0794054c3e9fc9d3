import ArgumentParser
import ReferenceViewModels
import ViewModelDaemon
import ViewModelProtocol

/// The flags that only `viewmodeld` has.
struct ReferenceOptions: LabOptions {
    @Flag(help: "Host the ViewModel lab, for people who test clients.")
    var lab = false
}

await ViewModelDaemon("viewmodeld", version: Release.version, options: ReferenceOptions.self) { catalog, daemon, _ in
    try ReferenceViewModels.register(
        in: &catalog,
        lab: daemon.hasLab,
        accounts: daemon.accounts,
        outbox: daemon.outbox
    )
}.run()
