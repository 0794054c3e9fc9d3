import Glibc
import JSONRPC
import UnixIO
import ViewModelProtocol

/// The clients that wait on inherited sockets for a program that cannot start.
///
/// The program answers them before it ends. Otherwise the service manager would start it again and again for them, and
/// they would not learn why they wait.
package enum WaitingClients {
    /// The time for which a program that had a client answers further ones.
    ///
    /// It starts at most once a second then, however often clients connect. More starts would reach the limits of the
    /// units, so that a repaired program would not start.
    private static let patience = Duration.seconds(1)

    /// Answers each client and closes its connection; returns at once if none waits.
    ///
    /// A client is trusted if it is of the program's own user or of root, who may read the configuration and the log.
    package static func refuse(on sockets: [Int32], _ answer: (_ isTrusted: Bool) -> [UInt8]) {
        let answers = (trusted: answer(true), other: answer(false))
        for socket in sockets { try? ServerSockets.unblock(socket) }
        var polled = sockets.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        let start = ContinuousClock.now
        var wait = Duration.zero
        // Those who wait after the time are answered too, but a client that connects all the time must not prevent the end.
        while start.duration(to: .now) < patience * 2,
            poll(&polled, nfds_t(polled.count), Int32(wait / .milliseconds(1))) > 0
        {
            for socket in polled where socket.revents != 0 {
                let descriptor = acceptConnection(from: socket.fd)
                guard descriptor >= 0 else { continue }
                let uid = PeerCredentials(of: descriptor)?.uid
                refuseConnection(descriptor, uid == 0 || uid == geteuid() ? answers.trusted : answers.other)
            }
            wait = max(.zero, patience - start.duration(to: .now))
        }
    }

    /// Answers each client with an error of the protocol: the program's own user and root see `reason`, others `publicReason`.
    package static func refuse(on sockets: [Int32], reason: String, publicReason: String) {
        refuse(on: sockets) { isTrusted in
            let data: JSONObject = [
                "reason": .string(isTrusted ? reason : publicReason),
                "hint": .string("Correct that, and start it again. Its log has the details"),
            ]
            let message = "The daemon cannot start"
            return refusalLine(ProtocolError(code: .shuttingDown, message: message, data: .object(data)))
        }
    }
}

/// Returns the reply to a connection that is refused: an error without an id, in one line.
func refusalLine(_ error: ProtocolError) -> [UInt8] {
    var writer = JSONWriter()
    writer.raw("{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":")
    error.write(to: &writer)
    writer.raw("}\n")
    return writer.bytes
}

/// Sends the last bytes to a client and closes its connection.
///
/// Never waits for the client.
func refuseConnection(_ descriptor: Int32, _ bytes: [UInt8]) {
    send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
    shutdown(descriptor, Int32(SHUT_WR))
    // Unread input would make the kernel reset the connection before the client has read the line. The number of reads
    // is bounded, because a client that keeps writing must not block the thread.
    let mostReads = 16
    var ignored = [UInt8](repeating: 0, count: 4096)
    for _ in 0..<mostReads {
        guard recv(descriptor, &ignored, ignored.count, Int32(MSG_DONTWAIT)) > 0 else { break }
    }
    close(descriptor)
}
