import ArgumentParser
import Foundation

/// The subcommand that measures how long a newcomer and an author wait for builds.
struct BuildsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "builds",
        abstract: "Measures the builds of a fresh clone and of an author's package, in about half an hour.",
        discussion: """
            It clones the last commit of the checkout into a temporary folder, and runs there what a person would run. \
            The README's first command installs Debian packages, so it needs root. Run nothing else meanwhile.
            """
    )

    @Option(help: "Writes all values to this file, as JSON.")
    var json: String?

    func run() throws {
        guard let checkout = DaemonProgram.packageFolder else { throw BenchFailure("This program is in no checkout") }
        let folder = FileManager.default.temporaryDirectory.path + "/viewmodeld-builds-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        _ = try measure("git clone -q '\(checkout)' viewmodeld", in: folder)

        let clone = folder + "/viewmodeld"
        let readme = try String(contentsOfFile: clone + "/README.md", encoding: .utf8)
        let commands = readme.components(separatedBy: "\n```").filter { $0.hasPrefix("sh\n") }.map { $0.dropFirst(3) }
        guard commands.count >= 2 else { throw BenchFailure("The README has no two commands") }
        var figures: [Figure] = []
        func add(_ name: String, _ value: Double, _ target: Double, unit: String = "s") {
            var figure = Figure(name, unit: unit, .atMost(target))
            figure.add(value)
            figures.append(figure)
        }
        func step(_ name: String, _ script: some StringProtocol, in folder: String) throws -> Build {
            DaemonProgram.showProgress(name)
            return try measure(String(script), in: folder)
        }

        let first = try step("the README's first command", commands[0], in: clone)
        add("a fresh clone: the README's first command", first.seconds, 390)
        let second = try step("the README's second command", commands[1], in: clone)
        add("the README's second command after it", second.seconds, 480)
        let programs = try step("the programs that ship", "packaging/programs", in: clone)
        add("the programs that ship", programs.seconds, 600)

        let viewModelCtl = clone + "/.build/debug/viewmodelctl"
        let package = folder + "/tasks"
        _ = try measure("'\(viewModelCtl)' new tasks --package '\(clone)'", in: folder)
        let build = try step("an author's package", "swift build", in: package)
        add("an author's package, first build", build.seconds, 240)
        add("an author's package, first build: CPU", build.processorSeconds, 420)
        let tests = try step("its tests", "swift test", in: package)
        add("an author's package, first build and tests", build.seconds + tests.seconds, 300)
        DaemonProgram.showProgress("a saved line")
        add("an author's package: from a saved line to the frame", try savedLine(package, viewModelCtl), 5)

        let report = Report(machine: Report.thisMachine, rounds: 1, figures: figures)
        print(report.table)
        if let json { try report.json.write(toFile: json, atomically: true, encoding: .utf8) }
    }

    /// The time of a build, and of the processors in it.
    private struct Build {
        var seconds: Double
        var processorSeconds: Double
    }

    /// Runs a script with bash.
    ///
    /// - Throws: ``BenchFailure`` with the end of the output if it fails.
    private func measure(_ script: String, in folder: String) throws -> Build {
        let log = folder + "/.builds.log"
        let start = nanoseconds()
        let (identifier, _) = try spawn(
            "/bin/bash",
            ["-euo", "pipefail", "-c", "cd '\(folder)'; exec >'\(log)' 2>&1; \(script)"]
        )
        var (status, usage) = (Int32(), rusage())
        while wait4(identifier, &status, 0, &usage) < 0, errno == EINTR {}
        guard status == 0 else {
            let output = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
            throw BenchFailure("\(script)\n\(output.suffix(2000))\nIt ended with the status \(status >> 8)")
        }
        return Build(
            seconds: Double(nanoseconds() - start) / 1e9,
            processorSeconds: CommandRuns.milliseconds(usage.ru_utime) / 1000
                + CommandRuns.milliseconds(usage.ru_stime) / 1000
        )
    }

    /// Returns the seconds that `viewmodelctl dev` reports from a change of one line to the frame with it.
    private func savedLine(_ package: String, _ viewModelCtl: String) throws -> Double {
        let source = package + "/Sources/TasksApp/Tasks.swift"
        let log = package + "/dev.log"
        let script = "exec '\(viewModelCtl)' --socket '\(package)/dev.sock' dev '\(package)' >'\(log)' 2>&1"
        let (identifier, _) = try spawn("/bin/bash", ["-c", script])
        defer {
            kill(identifier, SIGTERM)
            waitpid(identifier, nil, 0)
        }
        func line(with text: String) throws -> String {
            for _ in 0..<3000 {
                let output = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
                if let line = output.split(separator: "\n").first(where: { $0.contains(text) }) { return String(line) }
                usleep(100_000)
            }
            throw BenchFailure("viewmodelctl dev does not print \"\(text)\"")
        }
        _ = try line(with: "Ready")
        let text = try String(contentsOfFile: source, encoding: .utf8)
        let changed = text.replacingOccurrences(of: " open task", with: " waiting task")
        guard changed != text else { throw BenchFailure("\(source) has no text to change") }
        try changed.write(toFile: source, atomically: true, encoding: .utf8)
        let report = try line(with: "from save to frame")
        guard let seconds = report.split(separator: " ").lazy.compactMap({ Double($0) }).first else {
            throw BenchFailure("\(report) has no time")
        }
        return seconds
    }
}
