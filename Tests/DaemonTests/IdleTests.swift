import TestSupport
import Foundation
import Testing

/// A daemon in which nothing happens.
@Suite(.timeLimit(.minutes(5))) struct IdleTests {
    private let folder = TemporaryFolder()

    @Test func `a daemon that has served a session, and was restarted, does not wake up`() async throws {
        for _ in 1...2 {
            try await withDaemon(folder: folder) { daemon in
                let connection = try daemon.connect()
                _ = try connection.call("session.attach", #"{"session":"desk"}"#)
                _ = try connection.call("calculator.press", #"["7"]"#)
                _ = try connection.call("viewModel.bind", #"{"id":"calculator"}"#)
                try await waitUntilAsleep(daemon)
                _ = try connection.call("calculator.press", #"["8"]"#)
            }
        }
    }

    /// Waits for three seconds in which no thread has run; what the start and the saving have left to do ends before.
    private func waitUntilAsleep(_ daemon: TemporaryDaemon) async throws {
        let end = ContinuousClock.now + .seconds(120)
        var before: [String: String] = [:]
        while true {
            let now = try switches(of: daemon)
            if now == before { return }
            guard ContinuousClock.now < end else {
                Issue.record("threads that wake up: \(now.filter { before[$0.key] != $0.value })")
                return
            }
            before = now
            try await Task.sleep(for: .seconds(3))
        }
    }

    /// How often each thread has begun to run, by its number and name.
    private func switches(of daemon: TemporaryDaemon) throws -> [String: String] {
        let tasks = "/proc/\(daemon.process)/task"
        var switches: [String: String] = [:]
        for thread in try FileManager.default.contentsOfDirectory(atPath: tasks) {
            // One that has ended meanwhile says nothing.
            guard let text = try? String(contentsOfFile: "\(tasks)/\(thread)/status", encoding: .utf8) else { continue }
            let lines = text.split(separator: "\n")
            switches["\(thread) \(lines[0])"] = lines.filter { $0.contains("ctxt_switches") }.joined()
        }
        return switches
    }
}
