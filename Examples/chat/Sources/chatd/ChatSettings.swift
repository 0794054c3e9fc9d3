import ViewModelKit

/// The section `app` of the configuration.
@Schemable
struct ChatSettings {
    /// The address of the server that has the rooms.
    var server = "http://localhost:8080"
}
