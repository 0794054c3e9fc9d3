import ViewModelKit

/// A kettle that brews tea.
@ViewModel
public final class Kettle {
    /// The minutes that the tea brews, as they are typed.
    @Field(.session) var minutes = "3"
    /// What is wrong with `minutes`, null for nothing.
    @Output var problem: String? { (1...15).contains(Int(minutes) ?? 0) ? nil : "A number from 1 to 15" }
    /// The cups of water in the kettle.
    @Output(.session) private(set) var cups = 0

    private var canBrew: Bool { problem == nil }
    private let clock: SessionClock

    /// Creates an empty kettle.
    public init(clock: SessionClock) {
        self.clock = clock
    }

    /// Fills the kettle with this number of cups.
    @Input func fill(_ cups: Int) throws {
        guard (1...8).contains(cups) else { throw InvalidValue(expected: "1 to 8 cups", found: "\(cups)") }
        self.cups = cups
    }

    /// Brews a cup of tea, and returns the number of cups that are left.
    @Action(enabled: \Kettle.canBrew)
    func brew() async throws(BrewFailure) -> Int {
        guard cups > 0 else { throw .noWater(cups: 8) }
        do {
            try await clock.sleep(for: .seconds(60 * (Int(minutes) ?? 0)))
        } catch {
            throw .cancelled
        }
        cups -= 1
        return cups
    }
}

/// Why there is no tea.
@Failure
enum BrewFailure {
    /// The kettle is empty, and holds this many cups.
    case noWater(cups: Int)
    /// The call was cancelled before the tea was ready.
    @Retryable case cancelled
}
