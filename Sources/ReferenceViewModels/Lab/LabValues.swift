import ViewModelKit

extension Lab {
    /// A row of `rows`.
    struct Row: Codable, Equatable, Identifiable {
        /// From 1, never used twice.
        let id: Int
        var text: String
    }

    /// What `update` takes.
    struct RowText: Codable {
        let id: Int
        let text: String
    }

    /// What `move` takes.
    struct Move: Codable {
        let from: Int
        let to: Int
    }

    /// What the sleeping actions take.
    struct Nap: Codable {
        let milliseconds: Int
    }

    /// What the sleeping actions give.
    struct Slept: Codable {
        let slept: Int
        /// How many of all naps have been completed with this one.
        let order: Int
    }

    /// What `fail` takes.
    struct Failure: Codable {
        let error: String
        let retryable: Bool?
    }

    /// What `count` takes.
    struct Count: Codable {
        let to: Int
        /// Milliseconds between two steps.
        let every: Int?
    }

    /// What `ask` takes.
    struct Question: Codable {
        let title: String

        static var buttons: [Prompt.Button] {
            [.init(id: "ok", title: "OK"), .init(id: "cancel", title: "Cancel", role: .cancel)]
        }
    }

    /// What `ask` gives.
    struct Choice: Codable {
        let button: String
    }

    /// What `open` takes.
    struct SceneName: Codable {
        let scene: String
    }
}

/// The naps of one lab, and how many were completed.
final class Naps {
    private let clock: SessionClock
    private var completed = 0

    init(clock: SessionClock) {
        self.clock = clock
    }

    func run(_ nap: Lab.Nap) async throws -> Lab.Slept {
        guard nap.milliseconds >= 0 else {
            throw InvalidValue(path: "/milliseconds", expected: "0 or more", found: "\(nap.milliseconds)")
        }
        try await clock.sleep(for: .milliseconds(nap.milliseconds))
        completed += 1
        return Lab.Slept(slept: nap.milliseconds, order: completed)
    }
}
