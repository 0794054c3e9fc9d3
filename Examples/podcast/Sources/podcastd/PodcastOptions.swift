import ArgumentParser

/// The flags of podcastd beside those that every daemon has.
struct PodcastOptions: ParsableArguments {
    @Option(help: "The address of the server that has the episodes.")
    var server = "http://localhost:8080"
}
