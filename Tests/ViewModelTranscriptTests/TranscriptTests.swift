import Foundation
import JSONRPC
import Testing

@testable import ViewModelTranscript

@Suite struct `The format of a transcript` {
    private let header = """
        # viewmodel-transcript 1
        # program viewmodeld 1.0.0
        # contract 9f2c
        # date 2026-11-23T20:15:00Z

        """

    @Test func `Each event reads back as it was written`() throws {
        let events: [Transcript.Event] = [
            .opened, .sent(#"{"a":"> < # !"}"#), .received("[1, 2]"), .unreadable("24 bytes, no JSON"), .closed,
        ]
        let lines = events.map { Transcript.Entry.text(time: .milliseconds(12_345), connection: 7, event: $0) }
        let transcript = try Transcript(header + lines.joined())
        #expect(transcript.entries.map(\.event) == events)
        #expect(transcript.entries.map(\.line) == [5, 6, 7, 8, 9])
        #expect(transcript.entries.allSatisfy { $0.time == .milliseconds(12_345) && $0.connection == 7 })
        #expect(transcript.header == .init(program: "viewmodeld 1.0.0", contract: "9f2c", date: "2026-11-23T20:15:00Z"))
    }

    @Test(
        arguments: [
            (.opened, "open"), (.closed, "close"), (.sent("[1]"), "> [1]"), (.received("[2]"), "< [2]"),
            (.unreadable("no JSON"), "> ! no JSON"),
        ] as [(Transcript.Event, String)]
    )
    func `A line has the seconds with six decimals, the connection and the event`(
        _ event: Transcript.Event,
        _ text: String
    ) {
        let time = Duration.seconds(3) + .nanoseconds(7_899)
        #expect(Transcript.Entry.text(time: time, connection: 12, event: event) == "3.000007 12 \(text)\n")
    }

    @Test func `A torn last line is ignored`() throws {
        let text = header + "0.000001 1 open\n0.000002 1 > {\"jsonrpc\":\"2.0\",\"me"
        #expect(try Transcript(text).entries.map(\.event) == [.opened])
    }

    @Test(arguments: [
        ("", 1), ("# viewmodel-transcript 2\n", 1), ("hello\n", 1), ("0.000001 1 open\n", 1),
    ])
    func `Another file is refused`(_ text: String, _ line: Int) {
        #expect { try Transcript(text) } throws: { ($0 as? TranscriptError)?.line == line }
    }

    @Test(arguments: [
        "x 1 open", "0.1 1 open", "0.000001 0 open", "0.000001 1", "0.000001 1 shut", "0.000001 1 > {",
        "-1.000000 1 open",
    ])
    func `A line in the middle that is not of the format is named`(_ line: String) {
        let text = header + "# a comment\n\n" + line + "\n0.000002 1 close\n"
        #expect { try Transcript(text) } throws: { ($0 as? TranscriptError)?.line == 7 }
    }
}

@Suite struct `A recorder` {
    private static let contract: @Sendable () -> [UInt8] = { Array(#"{"x-viewModels":{}}"#.utf8) }

    private func path(_ name: String) throws -> String {
        let directory = FileManager.default.temporaryDirectory.appending(path: "recorder-\(UUID())")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        return directory.appending(path: name).path
    }

    @Test func `A recording is a whole file that only its user may read`() async throws {
        let path = try path("one")
        let recorder = try TranscriptRecorder(file: path, program: "testd 1") { Issue.record("\($0)") }
        recorder.start(contract: Self.contract)
        let (first, second) = (recorder.open(), recorder.open())
        let message = Array(#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}"#.utf8)
        message.withUnsafeBytes { first(.received($0)) }
        second(.sent(message))
        Array("{torn".utf8).withUnsafeBytes { first(.received($0)) }
        first(.closed)
        await recorder.finish()
        let transcript = try Transcript(String(contentsOfFile: path, encoding: .utf8))
        let text = String(decoding: message, as: UTF8.self)
        #expect(transcript.header.program == "testd 1")
        #expect(
            transcript.entries.map(\.event) == [
                .opened, .opened, .sent(text), .received(text), .unreadable("5 bytes, no JSON"), .closed,
            ]
        )
        #expect(transcript.entries.map(\.connection) == [1, 2, 1, 2, 1, 1])
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test func `An existing file is refused and stays as it is`() throws {
        let path = try path("one")
        try "mine".write(toFile: path, atomically: false, encoding: .utf8)
        #expect { try TranscriptRecorder(file: path, program: "") { _ in } } throws: {
            "\($0)".contains("exists already; remove it, or record to another file")
        }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "mine")
    }

    @Test func `A recorder that never started leaves no file`() throws {
        let path = try path("one")
        _ = try TranscriptRecorder(file: path, program: "") { _ in }
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func `More than may wait for the thread ends the recording, with one report`() async throws {
        let reports = AsyncStream.makeStream(of: String.self)
        let path = try path("one")
        let recorder = try TranscriptRecorder(file: path, program: "", maximumBytes: 1000) {
            reports.continuation.yield($0)
        }
        // Nothing is taken from the queue before the start.
        let connection = recorder.open()
        let message = [UInt8](repeating: 0x20, count: 400)
        for _ in 0..<10 { connection(.sent(message)) }
        recorder.start(contract: Self.contract)
        await recorder.finish()
        reports.continuation.finish()
        var reasons: [String] = []
        for await reason in reports.stream { reasons.append(reason) }
        #expect(reasons == ["the replacement of secrets does not keep up: 1000 bytes wait for it"])
    }

    @Test func `A disk that does not keep up is named`() async throws {
        let reports = AsyncStream.makeStream(of: String.self)
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        defer { close(ends[0]) }
        let recorder = try TranscriptRecorder(file: "/dev/fd/\(ends[1])", program: "", maximumBytes: 1 << 20) {
            reports.continuation.yield($0)
        }
        recorder.start(contract: Self.contract)
        let connection = recorder.open()
        // The thread stops in a write when the pipe is full: its pages are, except a part of one.
        let capacity = fcntl(ends[1], 1032) - 4096  // F_GETPIPE_SZ
        for _ in 0..<4000 { connection(.sent(Array(#"{"jsonrpc":"2.0","id":1,"result":null}"#.utf8))) }
        var count: Int32 = 0
        while count < capacity {
            _ = ioctl(ends[0], UInt(FIONREAD), &count)
            await Task.yield()
        }
        for _ in 0..<3 { connection(.sent([UInt8](repeating: 0x20, count: 400_000))) }
        var reasons = reports.stream.makeAsyncIterator()
        #expect(await reasons.next() == "the disk does not keep up: 1048576 bytes wait for it")
        await recorder.finish()
        // The thread closes its end.
        close(ends[1])
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while read(ends[0], &buffer, buffer.count) > 0 {}
    }

    @Test func `A full disk ends the recording with one report, and messages are dropped from then on`() async throws {
        let reports = AsyncStream.makeStream(of: String.self)
        let recorder = try TranscriptRecorder(file: "/dev/full", program: "", maximumBytes: 1000) {
            reports.continuation.yield($0)
        }
        recorder.start(contract: Self.contract)
        let connection = recorder.open()
        var reasons = reports.stream.makeAsyncIterator()
        #expect(await reasons.next() == "No space left on device")
        for _ in 0..<100 { connection(.sent([UInt8](repeating: 0x20, count: 400))) }
        await recorder.finish()
        reports.continuation.finish()
        #expect(await reasons.next() == nil)
    }
}
