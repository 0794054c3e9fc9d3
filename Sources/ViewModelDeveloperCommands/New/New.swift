import ArgumentParser
import Foundation
import ViewModelClient
import ViewModelCommands

struct New: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "new",
        abstract: "Makes a package with a ViewModel, its tests, a daemon, units and a README.",
        discussion: """
            Makes the folder NAME in the current folder. `swift build` and `swift test` work in it at once.

            The package depends on the checkout in which this viewmodelctl was built, or on what --package names. It \
            builds with Swift 6.3 and Debian's libsqlite3-dev.
            """
    )

    @OptionGroup(title: "Options of every verb") var options: GlobalOptions

    @Argument(help: "The name of the daemon and of its folder, such as podcastd.")
    var name: String

    @Option(
        help: ArgumentHelp(
            "The folder of a checkout of viewmodeld, or the address of its repository.",
            valueName: "folder-or-url"
        )
    )
    var package: String?

    @Flag var features: [DaemonPart] = []

    func run() async throws {
        let name = try PackageName(name)
        let package = NewPackage(name: name, library: try LibraryPackage(package), features: features)
        try package.write(to: name.text)
        try Printer(.text).print(text: package.nextSteps)
    }
}

/// A part that the daemon of a new package has beside the core, and that costs time to build.
enum DaemonPart: String, EnumerableFlag {
    case accounts
    case sharedStore
    case mock
    case record

    var library: String { rawValue.prefix(1).uppercased() + rawValue.dropFirst() + "Feature" }

    static func help(for part: DaemonPart) -> ArgumentHelp? {
        switch part {
        case .accounts: "The daemon has accounts of users and outboxes."
        case .sharedStore: "The daemon can keep its data in a PostgreSQL database that machines share."
        case .mock: "The daemon has --mock, which hosts a contract in place of the ViewModels."
        case .record: "The daemon has --record, which writes transcripts."
        }
    }
}

struct PackageName {
    /// The name: a lower-case letter, then lower-case letters, digits and `-`; at most 32 characters.
    let text: String

    /// Checks a name.
    init(_ text: String) throws(CommandFailure) {
        let valid = Self.valid(text)
        guard text == valid, !text.isEmpty else {
            throw .usage(
                """
                \"\(text)\" is no name for a daemon: a name has lower-case letters, digits and -, with a letter first, \
                and at most 32 characters
                """,
                remedy: valid.isEmpty ? nil : "Try \(valid)"
            )
        }
        guard !["viewmodeld", "viewmodelctl"].contains(text) else {
            throw .usage("\(text) is a program of viewmodeld itself", remedy: "Choose another name")
        }
        self.text = text
    }

    /// The name in camel case with a first capital letter, as a part of the names of modules: `PodcastD` for `podcast-d`.
    var camelCase: String {
        text.split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }

    /// Returns a valid name that is similar to a text, or an empty text.
    private static func valid(_ text: String) -> String {
        let words = text.lowercased().split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
        let name = words.joined(separator: "-").drop { !$0.isLetter }.prefix(32)
        return name.last == "-" ? String(name.dropLast()) : String(name)
    }
}

struct LibraryPackage {
    let dependency: String
    /// The name by which the manifest's targets refer to the package.
    let identity: String

    /// Finds the package.
    ///
    /// `location` is a folder or an address; nil for the checkout that this program was built in.
    init(_ location: String?) throws(CommandFailure) {
        if let location, location.contains("://") || location.contains("@") {
            self.init(url: location)
        } else if let location {
            guard Self.isCheckout(location) else {
                throw .usage("\(location) has no checkout of viewmodeld", remedy: "--package takes its folder")
            }
            self.init(folder: location)
        } else if let checkout = Self.checkoutOfThisProgram() {
            self.init(folder: checkout)
        } else {
            throw .usage(
                "This viewmodelctl is in no checkout of viewmodeld, on which the package depends",
                remedy: "--package names the folder of one, or the address of its repository"
            )
        }
    }

    private init(url: String) {
        dependency = #".package(url: "\#(url)", from: "\#(Release.version)")"#
        let last = url.split(separator: "/").last.map(String.init) ?? url
        identity = last.hasSuffix(".git") ? String(last.dropLast(4)) : last
    }

    private init(folder: String) {
        let url = URL(fileURLWithPath: folder).standardizedFileURL
        dependency = #".package(path: "\#(url.path)")"#
        identity = url.lastPathComponent
    }

    private static func isCheckout(_ folder: String) -> Bool {
        FileManager.default.contents(atPath: "\(folder)/Package.swift")
            .map { String(decoding: $0, as: UTF8.self).contains(#"name: "viewmodeld""#) } ?? false
    }

    /// Returns the checkout whose folder `.build` contains this program.
    private static func checkoutOfThisProgram() -> String? {
        let components = ProgramPath.own.split(separator: "/")
        guard let build = components.lastIndex(of: ".build") else { return nil }
        let folder = "/" + components[..<build].joined(separator: "/")
        return isCheckout(folder) ? folder : nil
    }
}
