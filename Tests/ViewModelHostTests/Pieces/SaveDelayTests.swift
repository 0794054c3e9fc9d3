import Testing

@testable import ViewModelHost

@Suite struct `A failed save` {
    private struct DiskFull: Error {}

    private func delays(after error: any Error) -> [Duration] {
        (1...8).reduce(into: []) { delays, _ in delays.append(.beforeNextSave(after: error, delays.last)) }
    }

    @Test func `is repeated after a second, then later and later, at most a minute`() {
        #expect(delays(after: DiskFull()) == [1, 2, 4, 8, 16, 32, 60, 60].map { .seconds($0) })
    }

    @Test func `is repeated every two seconds while a store that machines share is away`() {
        #expect(delays(after: StoreUnavailable("no answer")) == [1, 2, 2, 2, 2, 2, 2, 2].map { .seconds($0) })
    }
}
