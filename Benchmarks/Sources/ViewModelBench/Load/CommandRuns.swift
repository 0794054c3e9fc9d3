import Foundation

/// Programs that send one request and end.
enum CommandRuns {
    /// Returns the processor time of `viewmodelctl call` in milliseconds.
    ///
    /// - Parameters:
    ///   - program: The program `viewmodelctl`.
    ///   - daemon: The daemon that it calls.
    /// - Returns: The median of 21 runs.
    /// - Throws: ``BenchFailure`` if a call fails.
    static func call(_ program: String, _ daemon: ServerProcess) throws -> Double {
        try processorTime(of: program, ["--socket", daemon.socket, "call", "calculator.press", "7"])
    }

    /// Returns the processor time of `busctl call` in milliseconds, which asks a bus for its id; nil without D-Bus.
    static func busctl() throws -> Double? {
        let (bus, client) = ("/usr/bin/dbus-daemon", "/usr/bin/busctl")
        guard [bus, client].allSatisfy(FileManager.default.isExecutableFile) else { return nil }
        let folder = FileManager.default.temporaryDirectory.path
        let socket = "\(folder)/viewmodeld-bench-bus-\(UUID().uuidString.prefix(8))"
        let (identifier, _) = try spawn(bus, ["--session", "--nofork", "--nopidfile", "--address=unix:path=\(socket)"])
        defer {
            kill(identifier, SIGTERM)
            waitpid(identifier, nil, 0)
            unlink(socket)
        }
        for _ in 0..<1000 where access(socket, F_OK) != 0 { usleep(1000) }
        let name = "org.freedesktop.DBus"
        return try processorTime(
            of: client,
            ["--address=unix:path=\(socket)", "call", name, "/org/freedesktop/DBus", name, "GetId"]
        )
    }

    private static func processorTime(of program: String, _ arguments: [String]) throws -> Double {
        var times: [Double] = []
        for _ in 1...21 {
            let (identifier, _) = try spawn(program, arguments, isQuiet: true)
            var (status, usage) = (Int32(), rusage())
            while wait4(identifier, &status, 0, &usage) < 0, errno == EINTR {}
            guard status == 0 else { throw BenchFailure("\(program) ended with the status \(status >> 8)") }
            times.append(milliseconds(usage.ru_utime) + milliseconds(usage.ru_stime))
        }
        return Figure.median(times)
    }

    static func milliseconds(_ time: timeval) -> Double {
        Double(time.tv_sec) * 1000 + Double(time.tv_usec) / 1000
    }
}
