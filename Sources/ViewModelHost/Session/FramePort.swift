import ViewModelProtocol

/// Where a session hands over what a client is told unasked.
///
/// Isolation: confined to the session's loop.
protocol FramePort: AnyObject {
    /// Whether a frame handed over now goes out soon.
    var isReady: Bool { get }
    /// Hands over one notification, which ends with a line feed.
    func send(_ line: [UInt8])
}

/// The port of a client on the session's own loop: nothing in between.
final class LocalPort: FramePort {
    private let outlet: any Outlet

    init(_ outlet: any Outlet) {
        self.outlet = outlet
    }

    var isReady: Bool { outlet.isReady }

    func send(_ line: [UInt8]) {
        outlet.write(line: line)
    }
}

/// The port of a client on another loop: messages hop over, and what has arrived hops back as a credit.
final class RemotePort: FramePort {
    /// Bytes that may be on their way.
    private static var window: Int { 64 << 10 }

    /// The client's place, which has the port.
    weak var attachment: Attachment?
    private let conversation: LoopConfined<Conversation>
    private weak var session: Session?
    private var underway = 0

    init(_ conversation: LoopConfined<Conversation>, session: Session?) {
        self.conversation = conversation
        self.session = session
    }

    var isReady: Bool { underway < Self.window }

    func send(_ line: [UInt8]) {
        guard let attachment, let session else { return }
        underway += line.count
        let port = LoopConfined(self, on: session.loop)
        let identity = ObjectIdentifier(attachment)
        conversation.run { conversation in
            conversation.forward(line, of: identity) {
                port.run { port in
                    port.underway -= line.count
                    if port.isReady { port.attachment?.flush() }
                }
            }
        }
    }
}
