import Rainbow
import ViewModelClient

/// Where the demo is shown: what is said, and what crosses the sockets.
struct DemoOutput: Sendable {
    /// How long something stays before the next comes.
    let pause: Duration

    /// Tells what happens next.
    func say(_ text: String) throws {
        try Descriptor.output.write(line: "\n" + "# \(text)".bold)
    }

    /// Lets the spectator read.
    func rest() async throws {
        if pause > .zero { try await Task.sleep(for: pause) }
    }

    /// Shows the lines of a client as they cross its socket.
    func trace(_ name: String) -> @Sendable (ClientOptions.Direction, [UInt8]) -> Void {
        { direction, line in
            let text = String(decoding: line, as: UTF8.self)
            let shown =
                switch direction {
                case .sent: "\(name.bold) \("-->".cyan) \(text)"
                case .received: "\(name.bold) \("<--".green) \(text)"
                }
            try? Descriptor.output.write(line: shown)
        }
    }

    /// Says how to go on.
    func close() throws {
        try say("All as it must be. What to do next:")
        try Descriptor.output.write(
            line: """
                viewmodeld                                             start the daemon; --help tells how
                viewmodelctl --session context watch calculator           watch a calculator, and in another terminal:
                viewmodelctl --session context call calculator.press 7    press a key; types and describe show more
                """
        )
    }
}
