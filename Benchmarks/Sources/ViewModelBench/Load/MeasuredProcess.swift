import Foundation

/// A running program and its resource usage.
protocol MeasuredProcess: Sendable {
    /// The process id.
    var identifier: Int32 { get }
}

extension MeasuredProcess {
    /// The user and system time of all its threads in nanoseconds.
    var processorTime: UInt64 {
        var clock = clockid_t()
        var time = timespec()
        guard clock_getcpuclockid(identifier, &clock) == 0, clock_gettime(clock, &time) == 0 else { return 0 }
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// The private memory in bytes.
    var privateBytes: Int { memory("Private_Clean") + memory("Private_Dirty") }

    /// The anonymous memory in bytes.
    var anonymousBytes: Int { memory("Anonymous") }

    /// The resident memory in bytes, including shared memory.
    var residentBytes: Int { memory("Rss") }

    private func memory(_ name: String) -> Int {
        let text = (try? String(contentsOfFile: "/proc/\(identifier)/smaps_rollup", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix(name + ":") }
        return (line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) << 10
    }

    /// The voluntary context switches of each thread.
    ///
    /// Each one is followed by a wake-up.
    var sleeps: [String: Int] {
        let tasks = "/proc/\(identifier)/task"
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: tasks)) ?? []
        return threads.reduce(into: [:]) { sleeps, thread in
            let text = (try? String(contentsOfFile: "\(tasks)/\(thread)/status", encoding: .utf8)) ?? ""
            let line = text.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches:") }
            sleeps[thread] = line?.split(separator: "\t").last.flatMap { Int($0) }
        }
    }
}
