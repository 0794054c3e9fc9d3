import Foundation
import Synchronization
import Testing
import ViewModelKit
import ViewModelProtocol
import ViewModelStorage

@testable import Accounts

@Suite(.timeLimit(.minutes(5))) struct `Hashing passwords` {
    /// 8 MiB each.
    private static let cost = PasswordHasher.Cost(rounds: 8192, blockSize: 8, parallelism: 1)

    @Test func `a password is hashed at the usual cost`() async throws {
        let hasher = PasswordHasher()
        let hash = try await hasher.hash(AccountFixture.password, for: 0)
        #expect(hash.parameters == "scrypt 32768 8 3")
        #expect(try await hasher.verify(AccountFixture.password, hash, for: 0))
        #expect(try await !hasher.verify("Correct horse battery", hash, for: 0))
    }

    /// Costs that make no sense, and a hash without salt.
    @Test(
        arguments: [
            "scrypt 9223372036854775807 8 3", "scrypt 32768 9223372036854775807 3",
            "scrypt 32768 8 9223372036854775807", "scrypt 0 8 3", "scrypt -2 8 3", "scrypt 3 8 1",
            "scrypt 1048576 32 1", "scrypt 2 0 0", "scrypt", "", "md5 2 1 1", "scrypt 16 1 1",
        ]
    )
    func `a hash that no password has fits none`(parameters: String) async throws {
        let hash = PasswordHash(parameters: parameters, salt: [], hash: [])
        #expect(try await !PasswordHasher(cost: Self.cost).verify("correct horse", hash, for: 0))
    }

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

    @Test func `users take turns however much one of them wants`() async {
        let queue = FairQueue(on: DispatchQueue(label: "test"))
        let order = Mutex<[UInt32]>([])
        await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
            let work: @Sendable (UInt32) -> Void = { uid in
                let count = order.withLock { order in
                    order.append(uid)
                    return order.count
                }
                if count == 9 { done.resume() }
            }
            // The first one holds the queue until all others have been enqueued.
            let first: @Sendable () -> Void = {
                for uid: UInt32 in [1, 1, 1, 1, 1, 2, 3, 2] { queue.add({ work(uid) }, of: uid) }
                work(1)
            }
            queue.add(first, of: 1)
        }
        #expect(order.withLock { $0 } == [1, 1, 2, 3, 1, 2, 1, 1, 1])
    }

    /// The most memory that this process has ever had.
    private static func peakBytes() throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
        return 1024 * (try #require(line.split(separator: " ").dropFirst().first.flatMap { Int($0) }))
    }
}
