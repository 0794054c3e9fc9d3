import ViewModelProtocol

/// Where a session hands over what a client is told unasked.
///
/// Isolation: confined to the session's loop.
protocol FrameSink: AnyObject {
    /// Whether a frame handed over now goes out soon.
    var isReady: Bool { get }
    /// Hands over one notification, which ends with a line feed.
    func send(_ line: [UInt8])
}

/// The frameSink of a client on the session's own loop: nothing in between.
final class LocalFrameSink: FrameSink {
    private let sink: any MessageSink

    init(_ sink: any MessageSink) {
        self.sink = sink
    }

    var isReady: Bool { sink.isReady }

    func send(_ line: [UInt8]) {
        sink.write(line: line)
    }
}

/// The frameSink of a client on another loop: messages hop over, and what has arrived hops back as a credit.
final class RemoteFrameSink: FrameSink {
    /// Bytes that may be on their way.
    private static var window: Int { 64 << 10 }

    /// The client's place, which has the frameSink.
    weak var attachment: Attachment?
    private let peer: LoopConfined<RPCPeer>
    private weak var session: Session?
    private var underway = 0

    init(_ peer: LoopConfined<RPCPeer>, session: Session?) {
        self.peer = peer
        self.session = session
    }

    var isReady: Bool { underway < Self.window }

    func send(_ line: [UInt8]) {
        guard let attachment, let session else { return }
        underway += line.count
        let frameSink = LoopConfined(self, on: session.loop)
        let identity = ObjectIdentifier(attachment)
        peer.run { peer in
            peer.forward(line, of: identity) {
                frameSink.run { frameSink in
                    frameSink.underway -= line.count
                    if frameSink.isReady { frameSink.attachment?.flush() }
                }
            }
        }
    }
}
