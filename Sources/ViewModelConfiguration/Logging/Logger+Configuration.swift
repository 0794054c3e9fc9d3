package import Logging

extension Logger {
    /// Makes the daemon's logger, which writes to the standard error.
    package init(_ configuration: DaemonConfiguration.Log) {
        self.init(label: "viewmodeld") { label in
            switch configuration.format {
            case .json: JSONLogHandler(write: StandardError.write)
            case .auto, .text: StreamLogHandler.standardError(label: label)
            }
        }
        logLevel = configuration.level
    }
}
