import ViewModelProtocol

/// The destination of a session's notifications to one attached client.
///
/// Isolation: confined to the session's loop.
protocol FrameSink: AnyObject {
    /// Whether a frame would be sent soon.
    var isReady: Bool { get }
    /// Sends one notification, which ends with a line feed.
    func send(_ line: [UInt8])
}

/// The frame sink of a client on the session's own loop.
///
/// It writes directly to the message sink.
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

/// The frame sink of a client on another loop.
///
/// Messages hop to that loop, and their sizes hop back as credits.
final class RemoteFrameSink: FrameSink {
    /// The bytes in flight above which frames are held.
    private static var window: Int { 64 << 10 }

    /// The client's attachment, which owns this frame sink.
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
