import Testing

/// The commands that every daemon of `ViewModelDaemon` has, on a daemon of an author.
@Suite struct BackupCommandTests {
    private let folder = TemporaryFolder()

    @Test func `an author's daemon backs up and restores its state`() async throws {
        let (state, file) = ("\(folder)/state", "\(folder)/copy")
        let stroke = ["--session", "desk", "call", "tally.stroke"]
        try await withDaemon(of: .tallyd, folder: folder) { _ = try await $0.ctl(arguments: stroke) }
        let backup = try await daemonThatEnds("backup", "--state-directory", state, file, of: .tallyd)
        #expect(backup.status == 0 && backup.log.contains("to \(file)."), "\(backup.log)")
        try await withDaemon(of: .tallyd, folder: folder) { daemon in
            _ = try await daemon.ctl(arguments: stroke)
            let refused = try await daemonThatEnds("restore", "--state-directory", state, file, of: .tallyd)
            #expect(refused.status == 73 && refused.log.contains("tally-d: the state directory"), "\(refused.log)")
        }
        let restored = try await daemonThatEnds("restore", "--state-directory", state, file, of: .tallyd)
        #expect(restored.status == 0, "\(restored.log)")
        try await withDaemon(of: .tallyd, folder: folder) { daemon in
            let read = try await daemon.ctl("--session", "desk", "read", "tally", "strokes")
            #expect(read.output == "{\"strokes\":1}\n", "\(read.errors)")
        }
        let rotation = try await daemonThatEnds("vault", "rotate", "--state-directory", state, of: .tallyd)
        #expect(rotation.status == 0 && rotation.log == "The vault has a new key.\n", "\(rotation.log)")
        let absent = try await daemonThatEnds("vault", "rotate", "--state-directory", "/nonexistent", of: .tallyd)
        #expect(absent.status == 73 && absent.log.hasPrefix("tally-d: /nonexistent"), "\(absent.log)")
    }

    @Test func `the configuration of an author's daemon has its own names and keys`() async throws {
        let text = try await daemonThatEnds("configuration", of: .tallyd)
        #expect(text.status == 0)
        #expect(text.log.hasPrefix("# The configuration of tally-d."))
        #expect(text.log.contains("TALLY_D_LIMITS_BATCH") && text.log.contains("/etc/tally-d/tally-d.yaml"))
        #expect(!text.log.contains("viewmodeld"))
    }
}
