import ArgumentParser
import ReferenceViewModels
import ViewModelDaemon
import ViewModelKit
import ViewModelProtocol

/// The flags that only `viewmodeld` has.
struct ReferenceOptions: LabOptions {
    @Flag(help: "Host the ViewModel lab, for people who test clients.")
    var lab = false
}

await ViewModelDaemon("viewmodeld", version: Release.version, options: ReferenceOptions.self) { catalog, daemon, _ in
    catalog.provide(daemon.accounts)
    catalog.provide(daemon.outbox)
    try ReferenceViewModels.register(in: &catalog, lab: daemon.hasLab)
}.run()
