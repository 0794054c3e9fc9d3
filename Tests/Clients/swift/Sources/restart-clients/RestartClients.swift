import Foundation
import LabClient
import Synchronization

/// Many clients in sessions of their own, for `Tests/Endurance/test_restarts.py`, which restarts the daemon under them.
///
/// Arguments: the socket, the number of clients, the number of keys that each one presses. The program prints a line when
/// all clients have their first picture, and waits for a line. Two more lines at the end say when each client was
/// connected again, and what became of its keys.
@main
struct RestartClients {
    /// What became of one client.
    struct Outcome: Encodable {
        let name: String
        /// The times of the connections after the first one, in seconds on the monotonic clock.
        let back: [Double]
        let acknowledged: Int
        let unknown: Int

        /// The form of a client in the last line.
        func encode(to encoder: any Encoder) throws {
            var list = encoder.unkeyedContainer()
            try list.encode(name)
            try list.encode(acknowledged)
            try list.encode(unknown)
        }
    }

    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 4, let count = Int(arguments[2]), let presses = Int(arguments[3]) else {
            fatalError("usage: restart-clients SOCKET CLIENTS PRESSES")
        }
        let (pictures, picture) = AsyncStream.makeStream(of: Void.self)
        let go = Task { await nextLine() }
        let outcomes = try await withThrowingTaskGroup(of: Outcome.self) { group in
            for number in 0..<count {
                group.addTask {
                    do {
                        return try await client("swift-\(number)", on: arguments[1], presses: presses) {
                            picture.yield()
                            await go.value
                        }
                    } catch {
                        fatalError("swift-\(number): \(error)")
                    }
                }
            }
            var waiting = count
            for await _ in pictures {
                waiting -= 1
                if waiting == 0 { break }
            }
            try write(["ready": count])
            var outcomes: [Outcome] = []
            for try await outcome in group { outcomes.append(outcome) }
            return outcomes
        }
        try write(["back": outcomes.map(\.back)])
        try write(["clients": outcomes])
    }

    /// Runs a client that presses keys, and waits for its last picture.
    private static func client(
        _ name: String,
        on socket: String,
        presses: Int,
        whenReady: @Sendable () async -> Void
    ) async throws -> Outcome {
        var options = ClientOptions()
        options.session = SessionAttach.Params(session: SessionName(name))
        let connected = Mutex<[Double]>([])
        options.onNotice = { notice in
            guard case .connection(.connected) = notice else { return }
            connected.withLock { $0.append(seconds()) }
        }
        return try await withViewModelClient(socket: socket, options: options) { client in
            let binding = client.calculator.bind()
            _ = try await binding.picture()
            await whenReady()
            var (acknowledged, unknown) = (0, 0)
            while acknowledged + unknown < presses {
                do {
                    try await client.calculator.press(._1)
                    acknowledged += 1
                } catch let error as ClientError where error.code == .outcomeUnknown {
                    unknown += 1
                } catch let error as ClientError where error.reply?.code == .shuttingDown {
                    // The press did not run, and is made again.
                }
                try await Task.sleep(for: .milliseconds(400))
            }
            let led = try await client.calculator.read().led
            try await binding.wait(timeout: .seconds(10)) { $0.led == led }
            let back = connected.withLock { Array($0.dropFirst()) }
            return Outcome(name: name, back: back, acknowledged: acknowledged, unknown: unknown)
        }
    }

    /// Waits for a line on standard input, on a thread of its own.
    private static func nextLine() async {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                _ = readLine()
                continuation.resume()
            }
        }
    }

    /// Returns the time on the clock that Python's `time.monotonic` reads.
    private static func seconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    private static func write(_ line: some Encodable) throws {
        try FileHandle.standardOutput.write(contentsOf: JSONEncoder().encode(line) + Data("\n".utf8))
    }
}
