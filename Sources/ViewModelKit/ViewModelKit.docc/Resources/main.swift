import TeatimerApp
import ViewModelDaemon
import ViewModelKit

await ViewModelDaemon("teatimer", version: "0.1.0") { catalog in
    try catalog.host(Kettle.self)
}.run()
