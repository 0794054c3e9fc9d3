import Testing
import ViewModelClient

@testable import ViewModelCommands

@Suite struct StatusTextTests {
    @Test func `health is shown in units that people read`() throws {
        let health = #"""
            {"state":"running","version":"1.0.0","uptimeSeconds":93784,"sessions":2,"residentBytes":48861184,
            "storage":{"path":"/var/lib/viewmodeld","bytes":144016,"healthy":true}}
            """#
        let text = StatusText(try #require(JSONValue(text: health)?.objectValue), width: nil).text
        let expected = """
            +---------------+---------------------+
            | daemon        | value               |
            +---------------+---------------------+
            | state         | running             |
            | version       | 1.0.0               |
            | up for        | 1 d 2 h             |
            | sessions      | 2                   |
            | memory        | 46.6 MiB            |
            | storage       | /var/lib/viewmodeld |
            | storage size  | 140.6 KiB           |
            | storage state | healthy             |
            +---------------+---------------------+

            """
        #expect(text == expected, "\(text)")
    }

    @Test func `saved values that are not read are shown with the reason`() throws {
        let health = #"{"unreadValues":[{"value":"settings.nick","problem":"no property has this name"}]}"#
        let text = StatusText(try #require(JSONValue(text: health)?.objectValue), width: nil).text
        #expect(text.contains("| kept aside | settings.nick: no property has this name |"), "\(text)")
    }

    @Test(
        arguments: [
            (true, 0, "healthy"), (true, 1, "healthy, made again once"), (true, 2, "healthy, made again 2 times"),
            (false, 1, "its file was removed or replaced"),
        ]
    )
    func `the loss of the socket is shown`(isHealthy: Bool, losses: Int, state: String) throws {
        let health = #"{"socket":{"path":"/run/d.sock","healthy":\#(isHealthy),"losses":\#(losses)}}"#
        let text = StatusText(try #require(JSONValue(text: health)?.objectValue), width: nil).text
        #expect(text.contains("| socket       | /run/d.sock"), "\(text)")
        #expect(text.contains("| socket state | \(state) "), "\(text)")
    }

    @Test(arguments: [(0, "0 s"), (59, "59 s"), (60, "1 min 0 s"), (3725, "1 h 2 min"), (172_800, "2 d 0 h")])
    func `a time has two units`(seconds: Int, text: String) {
        #expect(StatusText.time(seconds) == text)
    }

    @Test(arguments: [(0, "0 B"), (1023, "1023 B"), (1024, "1.0 KiB"), (1536, "1.5 KiB"), (5 << 30, "5.0 GiB")])
    func `a size has the unit that suits it`(bytes: Int, text: String) {
        #expect(StatusText.size(bytes) == text)
    }
}
