import Glibc
import Logging
import NIOCore
import NIOPosix
import Synchronization
import Testing
import ViewModelProtocol
import ViewModelTesting

@testable import ViewModelHost
@testable import ViewModelServer

/// The way of an accepted socket to its event loop, and what is counted and logged on it.
@Suite(.timeLimit(.minutes(2))) struct AcceptingTests {
    private static func accepted(_ descriptor: Int32, of uid: UInt32) -> AcceptedSocket {
        AcceptedSocket(descriptor: descriptor, credentials: .init(pid: 1, uid: uid, groups: []), grant: .act)
    }

    private func withLoop(_ body: (EventLoopSessionLoop) async throws -> Void) async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let eventLoop = group.next()
        let loop = try await eventLoop.submit {
            EventLoopSessionLoop(eventLoop) { HostConfiguration().limits }
        }.get()
        try await body(loop)
        try await group.shutdownGracefully()
    }

    // MARK: Loops

    @Test func `users take turns, however many connections each has`() async throws {
        try await withLoop { loop in
            let (opened, open) = AsyncStream.makeStream(of: Int32.self)
            let queue = FairQueue(loop) { open.yield($0.descriptor) }
            // All are queued before the loop opens the first one.
            try await loop.eventLoop.submit {
                for number in 0..<10 { queue.add(Self.accepted(Int32(number), of: 1), of: 1) }
                queue.add(Self.accepted(20, of: 2), of: 2)
                queue.add(Self.accepted(30, of: 3), of: 3)
                queue.add(Self.accepted(21, of: 2), of: 2)
            }.get()
            var order: [Int32] = []
            for await descriptor in opened {
                order.append(descriptor)
                if order.count == 13 { break }
            }
            #expect(order == [0, 20, 30, 1, 21, 2, 3, 4, 5, 6, 7, 8, 9])
            // The queue is empty, and wakes up again.
            queue.add(Self.accepted(99, of: 4), of: 4)
            #expect(await opened.first { _ in true } == 99)
        }
    }

    @Test func `work after a poll runs in order, and a chain of it lets the loop's tasks run`() async throws {
        try await withLoop { loop in
            let (steps, step) = AsyncStream.makeStream(of: String.self)
            try await loop.eventLoop.submit {
                let signal = loop.state.value.signal
                signal.afterPoll {
                    step.yield("first")
                    signal.afterPoll { step.yield("third") }
                }
                signal.afterPoll { step.yield("second") }
            }.get()
            var order: [String] = []
            for await step in steps {
                order.append(step)
                if order.count == 3 { break }
            }
            #expect(order == ["first", "second", "third"])
        }
    }

    @Test func `the accept thread runs its work, then stops`() throws {
        let wakeup = try AcceptWakeup()
        let count = Mutex(0)
        for _ in 0..<100_000 { wakeup.execute { _ in count.withLock { $0 += 1 } } }
        var polled = [pollfd(fd: wakeup.descriptor, events: 0, revents: 0)]
        wakeup.drain(&polled)
        #expect(polled.count == 1)
        #expect(count.withLock { $0 } == 100_000)
        wakeup.stop()
        wakeup.drain(&polled)
        #expect(polled.isEmpty)
    }

    // MARK: Counts

    @Test func `a registry admits as many connections as the limits allow`() throws {
        let registry = ConnectionRegistry(counters: Counters(), present: PresentUsers())
        var limits = HostConfiguration.Limits()
        limits.connections = 3
        limits.connectionsPerUser = 2
        for uid: UInt32 in [1, 1] { #expect(try registry.admit(uid, limits) == false) }
        let ofUser = ProtocolError.limitExceeded(limit: "limits.connectionsPerUser", value: limits.connectionsPerUser)
        #expect(throws: ofUser) { try registry.admit(1, limits) }
        #expect(try registry.admit(2, limits) == false)
        let ofAll = ProtocolError.limitExceeded(limit: "limits.connections", value: limits.connections)
        #expect(throws: ofAll) { try registry.admit(3, limits) }
        registry.release(1)
        #expect(try registry.admit(1, limits) == false)
    }

    @Test func `a wait for the last connection's end is over with it`() async throws {
        let registry = ConnectionRegistry(counters: Counters(), present: PresentUsers())
        await registry.waitUntilEmpty()
        _ = try registry.admit(1, HostConfiguration.Limits())
        await withTaskGroup(of: Void.self) { tasks in
            tasks.addTask { await registry.waitUntilEmpty() }
            registry.release(1)
        }
    }

    @Test func `a wait for the last connection's end can be cancelled`() async throws {
        let registry = ConnectionRegistry(counters: Counters(), present: PresentUsers())
        _ = try registry.admit(1, HostConfiguration.Limits())
        await withTaskGroup(of: Void.self) { tasks in
            tasks.addTask { await registry.waitUntilEmpty() }
            tasks.cancelAll()
        }
    }

    // MARK: Logs

    @Test func `refusals of a user are logged once in five seconds, with the number of the others`() throws {
        let log = LogRecorder(from: .notice)
        var refusals = RefusalLog(logger: log.logger)
        let peer = PeerCredentials(pid: 7, uid: 1, groups: [])
        let error = ProtocolError.limitExceeded(limit: "limits.connections", value: 3)
        let now = ContinuousClock.now
        for _ in 0..<3 { refusals.record(error, of: peer, at: now) }
        refusals.record(.accessDenied(reason: "no"), of: PeerCredentials(pid: 8, uid: 2, groups: []), at: now)
        refusals.record(error, of: peer, at: now + .seconds(6))
        #expect(log.entries.map { $0.metadata["uid"] } == ["1", "2", "1"])
        #expect(log.entries.map { $0.metadata["limit"] } == ["limits.connections", nil, "limits.connections"])
        #expect(log.entries.map { $0.metadata["reason"] } == [nil, "no", nil])
        #expect(log.entries.map { $0.metadata["repeated"] } == [nil, nil, "2"])
    }

    @Test func `an outage has two lines, and a success within a second does not end it`() {
        let log = LogRecorder(from: .trace)
        let logger = log.logger
        var failures = AcceptFailureLog()
        let now = ContinuousClock.now
        failures.recordSuccess(logger, at: now)
        failures.record("no descriptor", logger, at: now)
        failures.recordSuccess(logger, at: now + .milliseconds(900))
        failures.record("no descriptor", logger, at: now + .seconds(1))
        failures.recordSuccess(logger, at: now + .seconds(2))
        failures.recordSuccess(logger, at: now + .seconds(3))
        #expect(log.entries.map(\.message) == ["No connection can be accepted", "Connections are accepted again"])
        #expect(log.entries.last?.metadata == ["failures": "2"])
    }
}
