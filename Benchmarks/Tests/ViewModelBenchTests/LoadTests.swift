import Foundation
import Testing

@testable import ViewModelBench

@Suite("The load of the benchmark", .timeLimit(.minutes(5))) struct LoadTests {
    /// The folder in which the programs were built: that of the running test bundle.
    private static let programs = URL(fileURLWithPath: DaemonProgram.this).deletingLastPathComponent().path
    private static let floor = Dialect.floor("\(programs)/viewmodeld-bench")
    private static let daemon = Result { Dialect.daemon(try DaemonProgram.path(nil)) }

    /// The load waits for sockets, so it gets a thread of its own.
    private func onThread<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try work() }) }
        }
    }

    @Test func `writes the id and the number into a line`() {
        let line: LineTemplate = #"{"id":{id},"params":[{n},"{other}",{n}]}"#
        var bytes: [UInt8] = []
        line.append(to: &bytes, id: 7, number: 1_000)
        line.append(to: &bytes, id: 10, number: 0)
        #expect(
            String(decoding: bytes, as: UTF8.self) == """
                {"id":7,"params":[1000,"{other}",1000]}
                {"id":10,"params":[0,"{other}",0]}

                """
        )
    }

    @Test(arguments: ["floor", "daemon"])
    func `is answered by both servers, all of it and in order`(name: String) async throws {
        let dialect = name == "floor" ? Self.floor : try Self.daemon.get()
        let (single, crowd, changes) = try await onThread {
            var samples: [Sample] = []
            #expect(try startTime(of: dialect, first: dialect.request) > 0)
            try withServer(dialect) { server in
                #expect(server.residentBytes > server.privateBytes && server.privateBytes > 0)
                samples.append(try RoundTrips(connections: 1, outstanding: 1).measure(server, seconds: 0.1))
                samples.append(try RoundTrips(connections: 8, outstanding: 4).measure(server, seconds: 0.1))
                samples.append(try FanOut(subscribers: 5).measure(server, .changes(20)))
            }
            return (samples[0], samples[1], samples[2])
        }
        for sample in [single, crowd] {
            #expect(sample.operations > 0 && sample.processorTime > 0)
            #expect(sample.microseconds(quantile: 0.5) > 0)
        }
        #expect(changes.operations == 100)
        #expect(changes.notificationBytes > 0)
    }

    @Test func `counts the processor time of programs that succeed`() async throws {
        let program = try DaemonProgram.path(nil, of: "viewmodelctl")
        let time = try await onThread {
            try withServer(Self.daemon.get()) { server in
                #expect(throws: BenchFailure.self) { try CommandRuns.call("/bin/false", server) }
                return try CommandRuns.call(program, server)
            }
        }
        #expect(time > 0)
    }

    @Test func `is answered through the gateway, all of it and in order`() async throws {
        let program = try DaemonProgram.path(nil, of: "viewmodel-gateway")
        let (single, crowd) = try await onThread {
            var samples: [Sample] = []
            try withServer(Self.daemon.get()) { server in
                try withGateway(program, before: server) { gateway in
                    for load in [
                        RoundTrips(connections: 1, outstanding: 64), RoundTrips(connections: 8, outstanding: 4),
                    ] {
                        samples.append(try load.measure(server, through: gateway, seconds: 0.1))
                    }
                    #expect(gateway.privateBytes > 0)
                }
            }
            return (samples[0], samples[1])
        }
        for sample in [single, crowd] {
            #expect(sample.operations > 0 && sample.processorTime > 0)
        }
    }

    @Test(arguments: [Lists.update, Lists.move])
    func `sees each change of a list`(change: LineTemplate) async throws {
        let (window, whole) = try await onThread {
            var samples: [Sample] = []
            try withServer(Self.daemon.get()) { server in
                samples.append(try Lists(rows: 50, window: 20, change: change).measure(server, changes: 10))
                samples.append(try Lists(rows: 50, change: change).measure(server, changes: 10))
            }
            return (samples[0], samples[1])
        }
        for sample in [window, whole] {
            #expect(sample.operations == 10)
            #expect(sample.notificationBytes > 0)
        }
    }

    @Test func `sees each step of a search`() async throws {
        let (step, filter) = try await onThread {
            var samples: (Sample, Sample)?
            try withServer(EpisodeSearch.dialect(DaemonProgram.path(nil, of: "viewmodeld-episodes"))) { server in
                samples = try EpisodeSearch().measure(server, steps: 3)
            }
            return try #require(samples)
        }
        #expect(step.operations == 3 && filter.operations == 3)
        #expect(step.notificationBytes > 0 && filter.notificationBytes == 0)
    }

    @Test(.enabled(if: geteuid() == 0, "connections of other users need root"))
    func `saves with both stores, and finds all that was added`() async throws {
        let figures = try await onThread {
            var measurements = StoreMeasurements(
                program: try DaemonProgram.path(nil),
                rounds: 1,
                seconds: 0.2,
                users: 9,
                present: 500
            )
            try measurements.run { _ in }
            return measurements.figures
        }
        for figure in figures {
            #expect(figure.values.allSatisfy { $0 > 0 } && figure.floorValues.allSatisfy { $0 > 0 })
            #expect(figure.ratio != nil)
        }
    }

    /// What a server may do wrong: replies to the requests 1, 2, … of one connection.
    enum Lie: CaseIterable {
        case order, step, error

        func reply(to id: Int) -> String {
            switch self {
            case .order: #"{"jsonrpc":"2.0","id":\#(id == 3 ? 4 : id),"result":{"seq":\#(id)}}"#
            case .step: #"{"jsonrpc":"2.0","id":\#(id),"result":{"seq":\#(id == 3 ? 2 : id)}}"#
            case .error: #"{"jsonrpc":"2.0","id":\#(id),"error":{"code":-32603,"message":"Internal error"}}"#
            }
        }
    }

    @Test(arguments: Lie.allCases)
    func `fails where a server breaks its promises`(lie: Lie) async throws {
        let listener = try Listener()
        Thread.detachNewThread {
            guard let connection = fdopen(accept(listener.descriptor, nil, nil), "r+") else { return }
            defer { fclose(connection) }
            var line: UnsafeMutablePointer<CChar>?
            var capacity = 0
            defer { free(line) }
            var id = 0
            while getline(&line, &capacity, connection) > 0 {
                id += 1
                fputs(lie.reply(to: id) + "\n", connection)
                fflush(connection)
            }
        }
        await #expect(throws: BenchFailure.self) {
            try await onThread {
                let server = ServerProcess(dialect: Self.floor, socket: listener.path, identifier: getpid())
                return try RoundTrips(connections: 1, outstanding: 4).measure(server, seconds: 0.2)
            }
        }
    }
}

/// A socket that listens at a path of its own.
private final class Listener: Sendable {
    let path = "/tmp/viewmodeld-bench-\(UInt64.random(in: .min ... .max))"
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)

    init() throws {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let status = withUnsafePointer(to: address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(status == 0 && listen(descriptor, 1) == 0)
    }

    deinit {
        close(descriptor)
        unlink(path)
    }
}
