import Podcast
import PodcastModel
import RecordFeature
import ViewModelDaemon
import ViewModelKit

await ViewModelDaemon(
    "podcastd",
    version: "0.1.0",
    features: [.record],
    options: PodcastOptions.self
) { catalog, daemon, options in
    catalog.provide(HTTPPodcastServer(options.server))
    catalog.provide(DownloadFolder("\(daemon.stateDirectory)/downloads"))
    try catalog.host(Library.self, Player.self, Downloads.self, Settings.self)
}.run()
