import Crypto
import CryptoExtras
import Dispatch
import FoundationEssentials
import Synchronization
import ViewModelStore

/// Hashes passwords by scrypt (RFC 7914).
///
/// A hash takes 32 MiB for a good part of a second. So they are made one after the other, however many are asked for at once, and
/// on a thread of their own, where they hold up nobody else. One whose task is cancelled before its turn is not made.
struct PasswordHasher: Sendable {
    /// How much work a hash is.
    struct Cost: Equatable {
        /// The CPU and memory cost, a power of two; 128 × `blockSize` bytes each.
        var rounds = 32_768
        /// The block size.
        var blockSize = 8
        /// How often all of it is done.
        var parallelism = 3
    }

    private static let prefix = "scrypt"
    private let cost: Cost
    private let queue = DispatchQueue(label: "viewmodeld.passwords")

    init(cost: Cost = Cost()) {
        self.cost = cost
    }

    /// Hashes a password with a new salt.
    func hash(_ password: Secret) async throws -> PasswordHash {
        let salt = SymmetricKey(size: .bits128).withUnsafeBytes { [UInt8]($0) }
        return PasswordHash(
            parameters: "\(Self.prefix) \(cost.rounds) \(cost.blockSize) \(cost.parallelism)",
            salt: salt,
            hash: try await derive(password, salt: salt, cost)
        )
    }

    /// Whether this is the password; takes as long where there is no hash to compare with.
    func verify(_ password: Secret, _ hash: PasswordHash?) async throws -> Bool {
        guard let hash else {
            _ = try await derive(password, salt: [UInt8](repeating: 0, count: 16), cost)
            return false
        }
        let fields = hash.parameters.split(separator: " ")
        let numbers = fields.dropFirst().compactMap { Int($0) }
        guard fields.first == Substring(Self.prefix), numbers.count == 3 else { return false }
        let used = Cost(rounds: numbers[0], blockSize: numbers[1], parallelism: numbers[2])
        return Self.areEqual(try await derive(password, salt: hash.salt, used), hash.hash)
    }

    private func derive(_ password: Secret, salt: [UInt8], _ cost: Cost) async throws -> [UInt8] {
        let wanted = Wanted()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                queue.async {
                    continuation.resume(
                        with: Result {
                            guard wanted.isStill else { throw CancellationError() }
                            return try Self.scrypt(password, salt: salt, cost)
                        }
                    )
                }
            }
        } onCancel: {
            wanted.cancel()
        }
    }

    private static func scrypt(_ password: Secret, salt: [UInt8], _ cost: Cost) throws -> [UInt8] {
        try KDF.Scrypt.deriveKey(
            from: [UInt8](password.revealed.utf8),
            salt: salt,
            outputByteCount: 32,
            rounds: cost.rounds,
            blockSize: cost.blockSize,
            parallelism: cost.parallelism
        ).withUnsafeBytes { [UInt8]($0) }
    }

    /// Compares in a time that tells nothing of where two hashes differ.
    static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        left.count == right.count && zip(left, right).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

/// Whether somebody still waits for a hash.
private final class Wanted: Sendable {
    private let state = Atomic(true)

    var isStill: Bool { state.load(ordering: .relaxed) }

    func cancel() { state.store(false, ordering: .relaxed) }
}
