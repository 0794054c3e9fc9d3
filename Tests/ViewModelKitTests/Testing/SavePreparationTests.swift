import Foundation
import Testing
import ViewModelKit
import ViewModelTesting

@testable import Scenarios

@Suite struct `What follows from the clock` {
    private let harness: SessionHarness

    init() throws {
        var catalog = ViewModelCatalog()
        try catalog.host(Radio.self) { context in Radio(clock: context.clock) }
        harness = SessionHarness(catalog, savesSessions: true)
    }

    @Test func `is not saved while it does not change`() throws {
        let client = try harness.connect()
        try client.request("radio.play", [true])
        harness.advance(by: .seconds(5))
        try client.request("radio.play", [false])
        let saves = try client.viewModel("radio", as: Radio.self).saves
        harness.advance(by: .seconds(60))
        #expect(try client.viewModel("radio", as: Radio.self).saves == saves)
        #expect(saves > 0)
    }

    @Test func `has a date that the test sets`() throws {
        let client = try harness.connect()
        harness.date = Date(timeIntervalSince1970: 1_000_000)
        harness.advance(by: .seconds(7))
        #expect(try client.read("radio")["date"] == 1_000_007)
        #expect(harness.date == Date(timeIntervalSince1970: 1_000_007))
    }
}
