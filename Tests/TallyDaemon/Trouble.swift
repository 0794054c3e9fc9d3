import Foundation
import ViewModelKit

/// A ViewModel whose author has made mistakes at which Swift traps.
@ViewModel
final class Trouble {
    @Output private(set) var count: Int = .max - 1
    private let clock: SessionClock
    private var timer: SessionTimer?

    /// Adds to the number, which overflows.
    @Input func add(_ number: Int) { count += number }

    /// Adds a number after a while.
    @Action func addLater(_ number: Int) async throws {
        try await clock.sleep(for: .milliseconds(10))
        count += number
    }

    /// Adds a number in a timer.
    @Input func addInTimer(_ number: Int) {
        timer = clock.timer(after: .milliseconds(10)) { [unowned self] in count += number }
    }

    /// Calls itself without end.
    @Input func descend(_ depth: Int) { count = self.depth(depth) }

    private func depth(_ depth: Int) -> Int { depth < 0 ? 0 : self.depth(depth &+ 1) + count % 2 }

    /// Whether two outputs read each other, of which `@ViewModel` sees one only.
    @Field var isCircle = false
    @Output var left: Int { isCircle ? around() : 0 }
    @Output var right: Int { left &+ count % 2 }
    /// The number that is picked from an array without it.
    @Field var picked: Int?
    @Output var value: Int { picked.map { [0][$0] } ?? 0 }

    /// Blocks the loop of the session.
    @Action func block(seconds: Double) { Thread.sleep(forTimeInterval: seconds) }
}

extension Trouble {
    private func around() -> Int { right &+ count % 2 }
}
