import Testing
import ViewModelClient
import ViewModelProtocol

/// Two Swift clients in one session of a real daemon.
@Suite struct SharedSessionTests {
    @Test func `what one client types the other sees`() async throws {
        try await withDaemon { daemon in
            try await withViewModelClient(socket: daemon.socket) { first in
                try await withViewModelClient(socket: daemon.socket) { second in
                    for client in [first, second] { _ = try await client.attach(SessionName("desk")) }
                    for key in ["1", "2", "+", "3", "="] { _ = try await first.send(input: "calculator.press", key) }
                    var leds: [JSONValue?] = []
                    for try await update in second.bind("calculator", outputs: ["led"]) {
                        leds.append(update.picture.values["led"])
                        if leds.count == 1 { _ = try await first.run(action: "calculator.clear") }
                        if leds.count == 2 { break }
                    }
                    #expect(leds == [.string("15"), .string("0")])
                }
            }
        }
    }

    @Test func `the command line answers with its exit codes`() async throws {
        try await withDaemon("--lab") { daemon in
            let call = try await daemon.ctl("--session", "desk", "call", "calculator.press", "7")
            #expect(call.status == 0, "\(call.errors)")
            let read = try await daemon.ctl("--session", "desk", "read", "calculator", "led")
            #expect(read.status == 0 && read.output == "{\"led\":\"7\"}\n", "\(read)")
            #expect(try await daemon.ctl("call", "calculator.undo").status == 5)
            #expect(try await daemon.ctl("call", "calculator.prss").status == 4)
            #expect(try await daemon.ctl("call", "calculator.press", "x").status == 7)
            #expect(try await daemon.ctl("call", "lab.fail", "error=x").status == 1)
            #expect(try await daemon.ctl("wait", "calculator", "led=9", "--timeout", "0.1").status == 6)
            #expect(try await daemon.ctl("nonsense").status == 64)
        }
    }
}
