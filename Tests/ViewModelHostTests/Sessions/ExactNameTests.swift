import Testing
import ViewModelKit
import ViewModelTesting

/// Names with a K, which the sign of the kelvin (U+212A) equals for Swift.
@ViewModel
final class TicketKiosk {
    /// The key that was pressed last.
    @Field var lastKey = ""
}

@Suite struct `A name` {
    private let client: TestClient

    init() throws {
        var catalog = ViewModelCatalog()
        try catalog.host(TicketKiosk.self) { _ in TicketKiosk() }
        catalog.scene("\u{E9}")
        client = SessionHarness(catalog).connectAnonymously()
    }

    @Test(
        arguments: [
            ("viewModel.read", ["id": "ticket\u{212A}iosk"], -32004),
            ("viewModel.read", ["id": "ticketKiosk", "outputs": ["last\u{212A}ey"]], -32602),
            ("viewModel.bind", ["id": "ticket\u{212A}iosk"], -32004),
            ("viewModel.open", ["type": "ticket\u{212A}iosk"], -32004),
            ("ticket\u{212A}iosk.lastKey", ["x"], -32601), ("ticketKiosk.last\u{212A}ey", ["x"], -32601),
            ("coordinator.open", ["scene": "e\u{301}"], -32602),
        ] as [(String, JSONValue, Int)]
    )
    func `has its code points`(method: String, params: JSONValue, code: Int) throws {
        #expect(client.begin(method, params).error?.code.rawValue == code)
        let ids =
            try client.request("viewModel.list")["instances"]?.arrayValue?.compactMap { $0["id"]?.stringValue } ?? []
        #expect(ids.allSatisfy { $0.utf8.allSatisfy { $0 < 0x80 } })
    }

    @Test func `is found by them`() throws {
        try client.request("ticketKiosk.lastKey", ["x"])
        try client.request("viewModel.read", ["id": "ticketKiosk", "outputs": ["lastKey"]])
        try client.request("coordinator.open", ["scene": "\u{E9}"])
    }

    @Test func `of a text that changes its form only is sent`() throws {
        try client.request("viewModel.bind", ["id": "ticketKiosk"])
        for text in ["\u{E9}", "e\u{301}"] {
            try client.request("ticketKiosk.lastKey", [.string(text)])
            let shown = client.picture(of: "ticketKiosk")?["lastKey"]?.stringValue ?? ""
            #expect(shown.unicodeScalars.elementsEqual(text.unicodeScalars))
        }
    }
}
