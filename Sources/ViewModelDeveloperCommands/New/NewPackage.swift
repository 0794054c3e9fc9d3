import CEmbeddedFiles
import Glibc
import UnixIO
import ViewModelCommands

struct NewPackage {
    let name: PackageName
    let library: LibraryPackage
    let features: [DaemonPart]

    /// The module with the ViewModels.
    private var module: String { "\(name.camelCase)App" }

    var files: [(path: String, text: String)] {
        [
            ("Package.swift", text(of: "Package.swift")),
            ("README.md", text(of: "README.md")),
            (".gitignore", ".build/\n"),
            ("Sources/\(module)/Tasks.swift", text(of: "Tasks.swift")),
            ("Sources/\(module)Daemon/main.swift", text(of: "main.swift")),
            ("Tests/\(module)Tests/TasksTests.swift", text(of: "TasksTests.swift")),
            ("systemd/\(name.text).service", Self.service(name.text, program: "%h/.local/bin/\(name.text)")),
            ("systemd/\(name.text).socket", Self.unit("viewmodeld.socket", of: name.text)),
        ]
    }

    /// What to do with the package, for the person who made it.
    var nextSteps: String {
        """
        \(name.text) has a ViewModel, its tests and a daemon. It builds with Swift 6.3 and libsqlite3-dev
        (apt-get install libsqlite3-dev). Next:

            cd \(name.text)
            swift test
            viewmodelctl dev

        `viewmodelctl dev` runs the daemon, and builds and restarts it after each change. README.md says how to call it.
        """
    }

    /// Writes the files into a new folder.
    func write(to folder: String) throws(CommandFailure) {
        do {
            try Folder.make(folder)
        } catch {
            guard error.code != EEXIST else {
                throw .usage("\(folder) exists already", remedy: "Choose another name, or remove it")
            }
            throw CommandFailure(
                .failed,
                "\(folder) cannot be made: \(error)",
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
                .failed,
                error is OutputFileError ? "\(error)" : "\(folder) cannot be written: \(error)",
                remedy: "Remove the folder \(folder) before the next attempt"
            )
        }
    }
}

/// The files in `Texts`, and the units of `viewmodeld` for a person.
extension NewPackage {
    /// Returns a file of the package.
    ///
    /// The template has the name of a value between two `@` in place of the value.
    private func text(of file: String) -> String {
        let libraries = features.map(\.library) + ["ViewModelDaemon", "ViewModelKit"]
        func products(_ names: [String]) -> String {
            let all = names.map { #".product(name: "\#($0)", package: "\#(library.identity)"),"# }
            return all.joined(separator: "\n                ")
        }
        let kit = (features.contains(.accounts) ? ["Accounts"] : []) + ["ViewModelKit"]
        let testing = (features.contains(.accounts) ? ["Accounts", "AccountsTesting"] : []) + ["ViewModelKit"]
        let values = [
            "name": name.text, "module": module, "dependency": library.dependency, "package": library.identity,
            "products": products(libraries), "kit": products(kit), "testing": products(testing + ["ViewModelTesting"]),
            "imports": libraries.map { "import \($0)" }.joined(separator: "\n"),
            "features": features.isEmpty
                ? "" : ", features: [\(features.map { ".\($0.rawValue)" }.joined(separator: ", "))]",
        ]
        return String(cString: embeddedText(commandTexts(), file)).replacing(/@([a-z]+)@/) { match in
            values[String(match.1)] ?? String(match.0)
        }
    }

    /// Returns the service of a daemon.
    static func service(_ name: String, program: String) -> String {
        unit("viewmodeld.service", of: name).replacing("/usr/bin/\(name)", with: program)
    }

    /// Returns a unit of `viewmodeld` with another name and without its manual, which a new package has not.
    static func unit(_ file: String, of name: String) -> String {
        String(cString: embeddedText(commandTexts(), file)).replacing(/Documentation=.*\n/, with: "")
            .replacing("viewmodeld", with: name)
    }
}
