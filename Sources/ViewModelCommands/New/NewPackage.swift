import Foundation
import UnixIO

/// The files of a new package.
struct NewPackage {
    let name: PackageName
    let library: LibraryPackage
    let features: [DaemonPart]

    /// The module with the ViewModels.
    private var module: String { "\(name.camelCase)App" }

    /// The files by their paths in the package.
    var files: [(path: String, text: String)] {
        [
            ("Package.swift", manifest),
            ("README.md", readme),
            (".gitignore", ".build/\n"),
            ("Sources/\(module)/Tasks.swift", Self.viewModel),
            ("Sources/\(module)Daemon/main.swift", main),
            ("Tests/\(module)Tests/TasksTests.swift", tests),
            ("systemd/\(name.text).service", Self.service(name.text, program: "%h/.local/bin/\(name.text)")),
            ("systemd/\(name.text).socket", Self.socket(name.text)),
        ]
    }

    /// What to do with the package, for the person who made it.
    var nextSteps: String {
        """
        \(name.text) has a ViewModel, its tests and a daemon. Next:

            cd \(name.text)
            swift test
            viewmodelctl dev

        `viewmodelctl dev` runs the daemon, and builds and restarts it after each change. README.md says how to call it.
        """
    }

    /// Writes the files into a new folder.
    ///
    /// - Throws: `CommandFailure` if the folder exists or cannot be written.
    func write(to folder: String) throws(CommandFailure) {
        do {
            try Folder.make(folder)
        } catch {
            guard error.code != EEXIST else {
                throw .usage("\(folder) exists already", remedy: "Choose another name, or remove it")
            }
            throw CommandFailure(
                status: .failed,
                message: "\(folder) cannot be made: \(error)",
                remedy: "Run the command in a folder that this user can write to"
            )
        }
        do {
            for file in files {
                let path = "\(folder)/\(file.path)"
                if let slash = path.lastIndex(of: "/") { try Folder.makeAll(String(path[..<slash])) }
                try OutputFile(path).write(Array(file.text.utf8))
            }
        } catch {
            throw CommandFailure(
                status: .failed,
                message: error is OutputFileError ? "\(error)" : "\(folder) cannot be written: \(error)",
                remedy: "Remove the folder \(folder) before the next attempt"
            )
        }
    }
}

extension NewPackage {
    private var manifest: String {
        """
        // swift-tools-version: 6.2
        import PackageDescription

        let package = Package(
            name: "\(name.text)",
            products: [
                .executable(name: "\(name.text)", targets: ["\(module)Daemon"])
            ],
            dependencies: [
                \(library.dependency)
            ],
            targets: [
                // The ViewModels.
                .target(
                    name: "\(module)",
                    dependencies: [.product(name: "ViewModelKit", package: "\(library.identity)")]
                ),
                .testTarget(
                    name: "\(module)Tests",
                    dependencies: [
                        "\(module)",
                        .product(name: "ViewModelKit", package: "\(library.identity)"),
                        .product(name: "ViewModelTesting", package: "\(library.identity)"),
                    ]
                ),
                // The program.
                .executableTarget(
                    name: "\(module)Daemon",
                    dependencies: [
                        "\(module)",
                        \(daemonLibraries.joined(separator: "\n                "))
                    ]
                ),
            ],
            swiftLanguageModes: [.v6]
        )

        for target in package.targets {
            target.swiftSettings = [
                // An async function runs where its caller runs, so it may use the objects of a session.
                .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
                // Swift 6.3.1 otherwise runs a `catch` outside of the session when an async call throws.
                .unsafeFlags(["-Xllvm", "-sil-disable-pass=optimize-hop-to-executor"]),
            ]
            // The toolchain's own linker needs half the time of the default one.
            target.linkerSettings = [.unsafeFlags(["-use-ld=lld"])]
        }

        """
    }

    /// The products that the program imports, as dependencies in the manifest.
    private var daemonLibraries: [String] {
        (features.map(\.library) + ["ViewModelDaemon", "ViewModelKit"]).map {
            #".product(name: "\#($0)", package: "\#(library.identity)"),"#
        }
    }

    private var main: String {
        let modules = [module] + features.map(\.library) + ["ViewModelDaemon", "ViewModelKit"]
        let names = features.map { ".\($0.rawValue)" }.joined(separator: ", ")
        return """
            \(modules.map { "import \($0)" }.joined(separator: "\n"))

            await ViewModelDaemon("\(name.text)", version: "0.1.0"\(names.isEmpty ? "" : ", features: [\(names)]")) { catalog in
                try catalog.host(Tasks.self)
            }.run()

            """
    }

    private static let viewModel = #"""
        import ViewModelKit

        /// What has to be done.
        @ViewModel
        public final class Tasks {
            /// The text that is being typed.
            @Field(.session) var draft = ""
            /// All tasks, the oldest first.
            @Output(.session) var entries: Rows<Entry> = []
            /// The number of open tasks as text for people.
            @Output var summary: String {
                let open = entries.count { !$0.isDone }
                return open == 1 ? "1 open task" : "\(open) open tasks"
            }

            private var canAdd: Bool { !draft.allSatisfy(\.isWhitespace) }

            public init() {}

            /// Adds the draft to the tasks and empties it.
            @Action(enabled: \Tasks.canAdd)
            func add() throws(AddFailure) -> Entry {
                guard entries.count < 1_000 else { throw .tooMany(limit: 1_000) }
                let entry = Entry(id: (entries.map(\.id).max() ?? 0) + 1, text: draft, isDone: false)
                entries.append(entry)
                draft = ""
                return entry
            }

            /// Marks the task with this id as done, or as open again.
            @Input func toggle(_ id: Int) throws {
                try entries.update(id: id) { $0.isDone.toggle() }
            }

            /// Removes the task with this id.
            @Input func remove(_ id: Int) throws {
                try entries.remove(id: id)
            }
        }

        /// Why a task was not added.
        @Failure
        enum AddFailure {
            /// There are too many tasks.
            case tooMany(limit: Int)
        }

        /// A task.
        @Schemable
        struct Entry: Identifiable {
            let id: Int
            var text: String
            var isDone: Bool
        }

        """#

    private var tests: String {
        """
        import Testing
        import ViewModelKit
        import ViewModelTesting

        @testable import \(module)

        @Suite struct `The tasks` {
            private func tasks(_ texts: String...) throws -> Harness<Tasks> {
                let harness = try Harness(Tasks.self)
                for text in texts {
                    try harness.send(\\.inputs.draft, text)
                    try harness.run(\\.actions.add)
                }
                return harness
            }

            @Test func `add the draft and empty it`() throws {
                let harness = try tasks("buy milk")
                #expect(try harness.read(\\.outputs.entries) == [Entry(id: 1, text: "buy milk", isDone: false)])
                #expect(try harness.read(\\.outputs.draft) == "")
                #expect(try harness.read(\\.outputs.summary) == "1 open task")
            }

            @Test func `do not add a blank draft`() throws {
                let harness = try tasks()
                try harness.send(\\.inputs.draft, "  ")
                #expect(try !harness.isEnabled(\\.actions.add))
                #expect(throws: Refusal.self) { try harness.run(\\.actions.add) }
            }

            @Test func `count the open tasks`() throws {
                let harness = try tasks("buy milk", "ride")
                try harness.send(\\.inputs.toggle, 1)
                #expect(try harness.read(\\.outputs.summary) == "1 open task")
            }

            @Test func `refuse an id that no task has`() throws {
                let harness = try tasks("buy milk")
                #expect(throws: InvalidValue.self) { try harness.send(\\.inputs.remove, 7) }
            }
        }

        """
    }

    private var readme: String {
        """
        # \(name.text)

        A daemon with the ViewModel `tasks`. `Sources/\(module)/Tasks.swift` has the ViewModel,
        `Tests/\(module)Tests/TasksTests.swift` its tests, `Sources/\(module)Daemon/main.swift` the program.

        ```sh
        swift test
        viewmodelctl dev
        ```

        `viewmodelctl dev` builds the daemon, runs it, and does so again after each change of the sources. Its sessions stay.
        `swift run \(name.text)` runs it once.

        In another terminal, where `viewmodelctl` finds the daemon by the path of its socket:

        ```sh
        export VIEWMODELD_SOCKET=$XDG_RUNTIME_DIR/\(name.text)/\(name.text).sock
        viewmodelctl describe tasks
        viewmodelctl --session desk call tasks.draft "buy milk"
        viewmodelctl --session desk call tasks.add
        viewmodelctl --session desk watch tasks
        ```

        The session `desk` is there again after a restart of the daemon.

        ## As a service

        ```sh
        swift build -c release --static-swift-stdlib
        install -D -s -m 755 -t ~/.local/bin .build/release/\(name.text)
        install -D -m 644 -t ~/.config/systemd/user systemd/*
        systemctl --user daemon-reload
        systemctl --user enable --now \(name.text).socket
        ```

        The configuration is `~/.config/\(name.text)/\(name.text).yaml`, if there is one. `\(name.text) --help` lists the flags.

        """
    }
}
