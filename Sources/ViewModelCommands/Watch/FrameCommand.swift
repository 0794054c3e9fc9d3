import UnixIO
import ViewModelClient

struct FrameCommand: Sendable {
    /// The command, for `/bin/sh -c`.
    let command: String
    /// The daemon's socket, for clients that the command starts.
    let socket: String
    let session: String?

    /// Runs the command for an update, reports its failure, and returns its exit status.
    func run(_ update: BindingUpdate) async throws -> Int32 {
        let line = WatchLine(update)
        let bytes = try JSONWriter.text(of: line) + [UInt8(ascii: "\n")]
        let status = try await ShellCommand.run(command, input: bytes, environment: environment(of: line))
        try Task.checkCancellation()
        if status != 0 {
            try Descriptor.error.write(line: "viewmodelctl: step \(line.seq): the command ended with \(status)")
        }
        return status
    }

    private func environment(of line: WatchLine) -> [String: String?] {
        var environment: [String: String?] = [:]
        let changed = line.values.objectValue ?? [:]
        environment["VIEWMODELD_SOCKET"] = socket
        environment["VIEWMODEL_SESSION"] = session
        environment["VIEWMODEL_INSTANCE"] = line.id
        environment["VIEWMODEL_SEQ"] = "\(line.seq)"
        environment["VIEWMODEL_FULL"] = "\(line.full)"
        environment["VIEWMODEL_LOST"] = "\(line.lost)"
        environment["VIEWMODEL_CHANGED"] = changed.keys.joined(separator: " ")
        environment["VIEWMODEL_EVENTS"] = line.events.map(\.output).joined(separator: " ")
        return environment
    }
}
