import TestSupport

/// A property that every store has, checked with random operations.
///
/// A test runs each check on a fixture without data.
package struct StorageCheck: Sendable, CustomStringConvertible {
    /// The property, as a sentence.
    package let description: String
    private let body: @Sendable (any StorageFixture, inout Seeded) async throws -> Void

    init(
        _ description: String,
        _ body: @escaping @Sendable (any StorageFixture, inout Seeded) async throws -> Void
    ) {
        self.description = description
        self.body = body
    }

    /// Runs the check.
    ///
    /// - Parameters:
    ///   - fixture: the store.
    ///   - seed: the seed of the operations, which is printed.
    /// - Throws: ``Failure`` if the store lacks the property.
    package func run(on fixture: any StorageFixture, seed: UInt64 = .random(in: 0...UInt64.max)) async throws {
        var random = Seeded(seed, for: description)
        do {
            try await body(fixture, &random)
        } catch {
            throw Failure(description: "\(description) (seed \(seed)): \(error)")
        }
    }

    /// All checks.
    package static let all = outbox + vault + cache + accounts + people + sessions + values + versions + life

    /// The error of a store that lacks a property.
    package struct Failure: Error, CustomStringConvertible {
        /// What was expected and what was found.
        package let description: String
    }
}

/// Throws unless a value is the expected one.
func expect<Value: Equatable>(
    _ found: Value,
    _ expected: Value,
    _ what: @autoclosure () -> String
) throws(StorageCheck.Failure) {
    guard found != expected else { return }
    throw StorageCheck.Failure(description: "\(what()): found \(found), expected \(expected)")
}

/// Throws unless a condition holds.
func expect(_ holds: Bool, _ what: @autoclosure () -> String) throws(StorageCheck.Failure) {
    guard !holds else { return }
    throw StorageCheck.Failure(description: what())
}

/// Returns a value, and throws for nil.
func required<Value>(_ value: Value?, _ what: @autoclosure () -> String) throws(StorageCheck.Failure) -> Value {
    guard let value else { throw StorageCheck.Failure(description: "\(what()): found nothing") }
    return value
}

/// Two users.
let users: [UInt32] = [1000, 4_294_967_295]
