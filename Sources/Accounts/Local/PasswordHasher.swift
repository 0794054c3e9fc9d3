import Crypto
import CryptoExtras
import Digests
import Dispatch
import FoundationEssentials
import Synchronization
import ViewModelKit
import ViewModelProtocol
import ViewModelStorage

/// A hasher of passwords with scrypt (RFC 7914).
///
/// A hash uses 32 MiB for a good part of a second. Therefore hashes are computed one after the other on a thread that
/// does nothing else. Users are served round-robin: after the hash in progress, each waiting user gets one hash per
/// round. A hash whose task is cancelled before its turn is skipped.
struct PasswordHasher: Sendable {
    struct Cost: Equatable {
        /// The CPU and memory cost N, a power of two; each unit needs 128 × `blockSize` bytes.
        var rounds = 32_768
        /// The block size r.
        var blockSize = 8
        /// The number p of sequential passes.
        var parallelism = 3

        /// Twice the memory of a hash at the default cost, so that the cost can be raised once.
        private static let maximumBytes = 64 << 20

        /// Whether a hash of this cost needs bounded time and memory.
        ///
        /// The numbers come from a row of the database, and scrypt multiplies them without a check.
        var isUsable: Bool {
            (2...1 << 20).contains(rounds) && rounds & (rounds - 1) == 0 && (1...32).contains(blockSize)
                && (1...16).contains(parallelism) && 128 * rounds * blockSize <= Self.maximumBytes
        }
    }

    private static let prefix = "scrypt"
    private let cost: Cost
    private let queue = FairQueue(on: DispatchQueue(label: "viewmodeld.passwords"))

    init(cost: Cost = Cost()) {
        self.cost = cost
    }

    /// Hashes a password with a new salt.
    func hash(_ password: Password, for uid: UInt32) async throws -> PasswordHash {
        let salt = SymmetricKey(size: .bits128).withUnsafeBytes { [UInt8]($0) }
        return PasswordHash(
            parameters: "\(Self.prefix) \(cost.rounds) \(cost.blockSize) \(cost.parallelism)",
            salt: salt,
            hash: try await derive(password, salt: salt, cost, for: uid)
        )
    }

    /// Returns whether a password matches a hash.
    ///
    /// Without a usable hash it computes one and discards it. The response time then does not reveal whether the
    /// account exists.
    func verify(_ password: Password, _ hash: PasswordHash?, for uid: UInt32) async throws -> Bool {
        guard let hash, let used = Self.cost(of: hash) else {
            _ = try await derive(password, salt: [UInt8](repeating: 0, count: 16), cost, for: uid)
            return false
        }
        return try await derive(password, salt: hash.salt, used, for: uid).isEqualInConstantTime(to: hash.hash)
    }

    /// Returns the cost that a hash was computed with, or nil if its parameters are invalid.
    private static func cost(of hash: PasswordHash) -> Cost? {
        let fields = hash.parameters.split(separator: " ")
        let numbers = fields.dropFirst().compactMap { Int($0) }
        guard fields.first == Substring(prefix), numbers.count == 3 else { return nil }
        let cost = Cost(rounds: numbers[0], blockSize: numbers[1], parallelism: numbers[2])
        return cost.isUsable ? cost : nil
    }

    private func derive(
        _ password: Password,
        salt: [UInt8],
        _ cost: Cost,
        for uid: UInt32
    ) async throws -> [UInt8] {
        let cancellation = CancellationFlag()
        // The error is passed as a value, which `get` throws where the caller runs.
        let result: Result<[UInt8], any Error> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let work: @Sendable () -> Void = {
                    continuation.resume(
                        returning: Result {
                            guard !cancellation.isCancelled else { throw CancellationError() }
                            return try Self.scrypt(password, salt: salt, cost)
                        }
                    )
                }
                queue.add(work, of: uid)
            }
        } onCancel: {
            cancellation.cancel()
        }
        return try result.get()
    }

    private static func scrypt(_ password: Password, salt: [UInt8], _ cost: Cost) throws -> [UInt8] {
        try KDF.Scrypt.deriveKey(
            from: [UInt8](password.revealed.utf8),
            salt: salt,
            outputByteCount: 32,
            rounds: cost.rounds,
            blockSize: cost.blockSize,
            parallelism: cost.parallelism
        ).withUnsafeBytes { [UInt8]($0) }
    }
}

/// A flag that is set when the caller of a hash is cancelled.
private final class CancellationFlag: Sendable {
    private let state = Atomic(false)

    var isCancelled: Bool { state.load(ordering: .relaxed) }

    func cancel() { state.store(true, ordering: .relaxed) }
}

extension FairQueue where Element == @Sendable () -> Void {
    /// Creates a queue of long computations, which run one after the other on the thread of a dispatch queue.
    convenience init(on thread: DispatchQueue) {
        self.init { queue in
            thread.async { while let work = queue.next() { work() } }
        }
    }
}
