import FoundationEssentials
import ViewModelContract
import ViewModelKit
import ViewModelProtocol
import ViewModelTranscript

/// Replays a transcript in virtual time and compares, like `viewmodelctl replay`.
///
///     @Test func `the bug of Tuesday is mended`() throws {
///         try expectReplay(of: "Fixtures/tuesday.transcript", in: SessionHarness(catalog))
///     }
///
/// The clients of the transcript send their messages at the recorded times of a clock that waits for nobody, from the
/// recorded date on. Each reply is compared, and with it the pictures of all bindings. What is declared as volatile is not
/// compared. The services are those of the session's catalog. If one of them waits for the test, as an ``Effect`` does,
/// `answering` lets it go on:
///
///     try expectReplay(of: "Fixtures/rain.transcript", in: session) {
///         stub.effect.complete(with: Forecast(sky: .rain, degrees: 9))
///     }
///
/// The replay's sessions are new ones, and are closed at its end.
///
/// - Parameters:
///   - path: the path of the transcript, relative to the folder of the test's source file.
///   - session: the daemon without sockets that hosts the ViewModels. Its clock goes on, and its date is set.
///   - members: outputs, inputs and actions that are not compared, by instance or by type, such as `player.position`.
///   - secrets: the secrets to send, by the pseudonyms in the transcript.
///   - sourceFile: the test's source file.
///   - answering: called when the recorded time of a reply or a picture has come and it is not there, once or more often.
///     It has to do nothing if no service waits.
/// - Throws: ``HarnessError`` with the first difference: the line of the transcript, the call, the recorded value and the
///   value of the replay. Also if the file is no transcript, or has nothing to compare. An error of the file system if
///   the file cannot be read, and the errors of `answering`.
public func expectReplay(
    of path: String,
    in session: SessionHarness,
    ignoring members: Set<String> = [],
    secrets: [String: String] = [:],
    sourceFile: String = #filePath,
    answering: () throws -> Void = {}
) throws {
    let options = Replay.Options(ignored: members, secrets: secrets)
    let player = try SessionReplay(path, beside: sourceFile, in: session, options)
    defer { player.close() }
    while try !player.isOver(answering) { player.passTime() }
    try player.conclude()
}

/// Replays a transcript in virtual time and compares, with services that work outside of the session.
///
/// It does the same as `expectReplay(of:in:)`. When the recorded time of a reply or a picture has come and it is not
/// there, virtual time stops until work arrives from an actor with an executor of its own, a detached task or a thread.
/// It awaits such work for the real time `limit` at most, each time.
///
/// - Throws: what `expectReplay(of:in:)` throws, and `CancellationError` when the test is cancelled.
public func expectReplay(
    of path: String,
    in session: SessionHarness,
    awaitingAtMost limit: Duration,
    ignoring members: Set<String> = [],
    secrets: [String: String] = [:],
    sourceFile: String = #filePath,
    answering: () throws -> Void = {}
) async throws {
    let options = Replay.Options(ignored: members, secrets: secrets)
    let player = try SessionReplay(path, beside: sourceFile, in: session, options)
    defer { player.close() }
    while try !player.isOver(answering) {
        if try await !session.loop.waitForWork(atMost: limit) { player.passTime() }
    }
    try player.conclude()
}

/// The driver of a replay in a session without a socket.
///
/// The services of a test may be faster or slower than the recorded ones, but the clock is exact. A wait therefore first
/// lets the time of the recording come, then asks the test, and only then lets more time pass.
private final class SessionReplay {
    private let path: String
    private let session: SessionHarness
    private let begin: Duration
    private let incidents: Int
    private let timeout: Duration
    private var replay: Replay
    private var clients: [Int: TestClient] = [:]
    private var hasNews = false
    /// The replay as it was when the recorded time had come, for a report without the changes of a long wait.
    private var punctual: Replay?
    private var result: Result<Replay.Counts, ReplayDifference>?

    /// Reads a transcript beside a source file, and begins its replay.
    init(
        _ path: String,
        beside sourceFile: String,
        in session: SessionHarness,
        _ options: Replay.Options
    ) throws {
        let folder = URL(filePath: sourceFile).deletingLastPathComponent()
        let text = try String(contentsOf: URL(filePath: path, relativeTo: folder), encoding: .utf8)
        let document = try session.connectAnonymously().request(RPCDiscover.name)
        do {
            let transcript = try Transcript(text)
            if let date = transcript.header.startDate { session.date = date }
            replay = try Replay(transcript, against: Contract(ofDaemon: document), options: options)
        } catch {
            throw HarnessError("\(path), \(error)")
        }
        self.path = path
        self.session = session
        timeout = options.timeout
        begin = session.now
        incidents = session.incidents.count
    }

    /// The virtual time of the line that the last step is about.
    private var recorded: Duration { begin + replay.time }

    /// Plays until the recorded time of a message has come and the message is not there, or until the end.
    func isOver(_ answer: () throws -> Void) throws -> Bool {
        while result == nil {
            hasNews = false
            let step = replay.next()
            if punctual?.index != replay.index { punctual = nil }
            switch step {
            case .open(let number):
                advance(to: recorded)
                clients[number] = connect(number)
            case .send(let text, let number):
                advance(to: recorded)
                clients[number]?.send(text)
            case .close(let number):
                advance(to: recorded)
                clients.removeValue(forKey: number)?.close()
            case .pause: advance(to: recorded)
            case .wait where session.now < recorded:
                advance(to: min(session.loop.nextDue ?? recorded, recorded))
            case .wait:
                try go(on: answer)
                if !hasNews { return false }
            case .finished(let counts): result = .success(counts)
            case .differs(let difference): result = .failure(difference)
            }
        }
        return true
    }

    /// Lets time pass beyond the recorded one, up to the next timer, or ends the wait.
    func passTime() {
        let before = punctual ?? replay
        punctual = before
        if let due = session.loop.nextDue, due <= recorded + timeout { return advance(to: due) }
        var late = before
        late.expire()
        if case .differs(let difference) = late.next() {
            result = .failure(difference)
        } else {
            replay.expire()
        }
    }

    /// Reports the result.
    ///
    /// - Throws: ``HarnessError`` with the first difference, or if nothing was compared.
    func conclude() throws {
        switch result {
        case .failure(let difference):
            // The contract of a daemon has more types than the catalog of a test, so another hash says nothing.
            let lines = replay.sessionWarnings + session.incidents.dropFirst(incidents)
            throw HarnessError(lines.reduce("\(path), \(difference)") { $0 + $1 + "\n" })
        case .success(let counts) where counts.replies + counts.pictures > 0: break
        case .success, nil: throw HarnessError("\(path) has no reply and no picture to compare")
        }
    }

    /// Lets the test answer until a message comes or nothing waits for an answer.
    private func go(on answer: () throws -> Void) throws {
        for _ in 0..<Self.maximumAnswers where !hasNews {
            try answer()
            let isOver = session.loop.isIdle
            session.runUntilIdle()
            if isOver { return }
        }
    }

    /// The answers of a test without a message of the daemon, after which more time passes.
    private static let maximumAnswers = 100

    private func advance(to time: Duration) {
        session.advance(by: max(time - session.now, .zero))
    }

    private func connect(_ number: Int) -> TestClient {
        let client = session.connectAnonymously()
        client.onText { [unowned self] text in
            replay.receive(text, on: number)
            hasNews = true
        }
        return client
    }

    /// Ends the connections and the sessions of the replay.
    func close() {
        for client in clients.values { client.close() }
        clients = [:]
        let client = session.connectAnonymously()
        for session in replay.sessions { client.begin(SessionClose.name, ["session": .string(session)]) }
        client.close()
    }
}
