// swift-format-ignore-file: NeverForceUnwrap, NeverUseForceTry

import Foundation
import ViewModelKit

/// A mistake at which Swift traps.
@Schemable
enum Trap: String, CaseIterable {
    case overflow, index, unwrap, message, error, recursion

    /// Traps.
    @discardableResult
    func spring() -> Int {
        // The compiler does not know that it is empty.
        let none = CommandLine.arguments.filter(\.isEmpty).map(\.count)
        switch self {
        case .overflow: return .max + (1 + none.count)
        case .index: return none[none.count]
        case .unwrap: return none.first!
        case .message: fatalError("sprung")
        case .error: return try! Self.fail()
        case .recursion: return descend(1).count
        }
    }

    private static func fail() throws -> Int { throw CancellationError() }

    // A string that is made after the call keeps the compiler from writing a loop.
    private func descend(_ depth: Int) -> String { depth < 0 ? "" : "\(descend(depth &+ 1))\(depth)" }
}

/// A service that traps.
actor Quarry {
    func rest() async {}

    func spring(_ trap: Trap) { trap.spring() }
}

/// A model that traps.
@SharedModel
final class Stock {
    @State var trap: Trap?

    init() {
        onChange(of: \.trap, after: .milliseconds(10)) { $0.trap?.spring() }
    }

    func spring(_ trap: Trap) { trap.spring() }
}

/// A ViewModel whose author has made mistakes at which Swift traps.
@ViewModel
final class Trouble {
    @Output var sum: Int { outputTrap?.spring() ?? 0 }
    @Output private(set) var product = 0
    @State private var outputTrap: Trap?
    @State private var computeTrap: Trap?
    private let clock: SessionClock
    private let stock: Stock
    private let quarry: Quarry
    private var timer: SessionTimer?

    init(clock: SessionClock, stock: Stock, quarry: Quarry) {
        self.clock = clock
        self.stock = stock
        self.quarry = quarry
        $product.compute(from: self, \.computeTrap) { $0?.spring() ?? 0 }
    }

    @Input func input(_ trap: Trap) {
        print("springing \(trap)")
        trap.spring()
    }

    @Input func output(_ trap: Trap) { outputTrap = trap }

    @Input func compute(_ trap: Trap) { computeTrap = trap }

    @Input func model(_ trap: Trap) { stock.spring(trap) }

    @Input func modelLater(_ trap: Trap) { stock.trap = trap }

    @Input func timer(_ trap: Trap) { timer = clock.timer(after: .milliseconds(10)) { trap.spring() } }

    /// Traps in many threads at once.
    @Input func crowd(_ trap: Trap) {
        let start = Date(timeIntervalSinceNow: 0.1)
        for _ in 1...32 {
            Thread.detachNewThread {
                Thread.sleep(until: start)
                trap.spring()
            }
        }
    }

    @Action func action(_ trap: Trap) { trap.spring() }

    @Action func actionLater(_ trap: Trap) async throws {
        try await clock.sleep(for: .milliseconds(10))
        trap.spring()
    }

    @Action func actionAfterService(_ trap: Trap) async {
        await quarry.rest()
        trap.spring()
    }

    @Action func service(_ trap: Trap) async { await quarry.spring(trap) }

    /// Whether two outputs read each other, of which `@ViewModel` sees one only.
    @Field var isCircle = false
    @Output var left: Int { isCircle ? around() : 0 }
    @Output var right: Int { left &+ product % 2 }

    /// Blocks the loop of the session.
    @Action func block(seconds: Double) { Thread.sleep(forTimeInterval: seconds) }
}

extension Trouble {
    private func around() -> Int { right &+ product % 2 }
}

/// A ViewModel that traps while it is made.
@ViewModel
final class Stillborn {
    @Schemable
    struct Arguments { let trap: Trap }

    @Output private(set) var count: Int

    init(_ arguments: Arguments) { count = arguments.trap.spring() }
}
