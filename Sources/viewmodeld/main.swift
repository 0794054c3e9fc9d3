import ReferenceViewModels
import ViewModelConfiguration
import ViewModelDaemon
import ViewModelKit
import ViewModelProtocol

await ViewModelDaemon("viewmodeld", version: Release.version, features: features) { catalog, daemon in
    try ReferenceViewModels.register(in: &catalog, lab: daemon.configuration[LabSettings.self].lab)
}.run()
