import Rainbow
import UnixIO
import ViewModelClient

/// The output of the demo: explanations, and the lines that cross the sockets.
struct DemoOutput: Sendable {
    /// The time for which a scene stays before the next one.
    let pause: Duration

    func explain(_ text: String) throws {
        try Descriptor.output.write(line: "\n" + "# \(text)".bold)
    }

    /// Pauses so that the reader can follow.
    func waitForReader() async throws {
        if pause > .zero { try await Task.sleep(for: pause) }
    }

    /// Returns a function that writes each line of a client as it crosses the socket.
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

    /// Writes the next steps for the reader.
    func close() throws {
        try explain("Everything worked. What to do next:")
        try Descriptor.output.write(
            line: """
                viewmodeld                                             start the daemon; --help tells how
                viewmodelctl --session desk watch calculator           watch a calculator, and in another terminal:
                viewmodelctl --session desk call calculator.press 7    press a key; types and describe show more
                """
        )
    }
}
