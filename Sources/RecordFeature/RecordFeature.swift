import ArgumentParser
import Logging
import PathArguments
import ViewModelConfiguration
public import ViewModelDaemon
import ViewModelHost
import ViewModelServer
import ViewModelTranscript

extension DaemonFeature {
    /// `--record`: the daemon writes a transcript of all connections.
    public static var record: DaemonFeature { DaemonFeature(RecordFeature()) }
}

struct RecordFeature: Feature {
    func prepare(_ parts: inout DaemonParts, _ flags: RecordFlags) throws {
        guard let directory = flags.record?.path else { return }
        parts.observer = { logger in try Self.recorder(in: directory, logger) }
    }

    /// Creates the file of a recording, and its directory if it is missing.
    private static func recorder(in directory: String, _ logger: Logger) throws -> TranscriptRecorder {
        do {
            try PrivateDirectory.make(directory)
        } catch {
            throw DaemonExit.noPath("\(error); choose another directory with --record")
        }
        let name = RunningDaemon.program.name
        let path = TranscriptRecorder.newFile(in: directory, program: name)
        let metadata: Logger.Metadata = ["file": "\(path)"]
        do {
            let recorder = try TranscriptRecorder(file: path, program: "\(name) \(RunningDaemon.version)") { reason in
                logger.error("The recording has ended early", metadata: metadata.merging(["error": "\(reason)"]) { $1 })
            }
            logger.notice("Recording the messages of all connections", metadata: metadata)
            return recorder
        } catch {
            throw DaemonExit.noPath("\(error)")
        }
    }
}

struct RecordFlags: ParsableArguments, Sendable {
    @Option(
        help: ArgumentHelp(
            "Write the messages of all connections to a new file in this directory.",
            discussion: """
                The file is a transcript, which viewmodelctl replay plays. Passwords are replaced by pseudonyms; other \
                values are not.
                """,
            valueName: "directory"
        ),
        completion: .directory
    )
    var record: PathArgument?
}

extension TranscriptRecorder: MessageObserver {}
