import Foundation
import Testing
import ViewModelKit
import ViewModelStorage

@testable import Accounts

@Suite struct `Hashing passwords` {
    /// 8 MiB each.
    private static let cost = PasswordHasher.Cost(rounds: 8192, blockSize: 8, parallelism: 1)

    @Test func `fifty at once take the memory of one`() async throws {
        await #expect(processExitsWith: .success) {
            let hasher = PasswordHasher(cost: Self.cost)
            let hash = try await hasher.hash("correct horse", for: 1000)
            let before = try Self.peakBytes()
            let right = try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<50 {
                    group.addTask {
                        try await hasher.verify(number % 2 == 0 ? "correct horse" : "wrong", hash, for: UInt32(number))
                    }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(right == 25)
            let grown = try Self.peakBytes() - before
            #expect(grown < 4 * 8 << 20, "\(grown) bytes more")
        }
    }

    @Test func `one that was cancelled before its turn is not made`() async throws {
        let hasher = PasswordHasher(cost: Self.cost)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await hasher.hash("correct horse", for: 1000)
        }
        await #expect(throws: CancellationError.self) { _ = try await task.value }
    }

    /// The most memory that this process has ever had.
    private static func peakBytes() throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
        return 1024 * (try #require(line.split(separator: " ").dropFirst().first.flatMap { Int($0) }))
    }
}
