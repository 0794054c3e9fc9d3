import Foundation
import Testing

@testable import ViewModelCommands
@testable import ViewModelDeveloperCommands

@Suite struct `A new package` {
    @Test(arguments: ["podcastd", "podcast-d", "p", "radio2", "class", "swift", String(repeating: "n", count: 32)])
    func `has a name of lower-case letters, digits and dashes`(name: String) throws {
        #expect(try PackageName(name).text == name)
    }

    @Test(arguments: [
        ("My App", "my-app"), ("podcast_d", "podcast-d"), ("9lives", "lives"), ("-d", "d"), ("d-", "d"),
        ("a--b", "a-b"), (String(repeating: "n", count: 33), String(repeating: "n", count: 32)), ("../d", "d"),
        ("Ärger", "rger"),
    ])
    func `suggests a valid name for another one`(name: String, suggestion: String) throws {
        let failure = #expect(throws: CommandFailure.self) { try PackageName(name) }
        #expect(failure?.status == .usage)
        #expect(failure?.remedy == "Try \(suggestion)")
        #expect(try PackageName(suggestion).text == suggestion)
    }

    @Test(arguments: ["", "   ", "7", "viewmodeld", "viewmodelctl"])
    func `refuses other names`(name: String) {
        #expect(throws: CommandFailure.self) { try PackageName(name) }
    }

    @Test func `has modules in camel case`() throws {
        #expect(try PackageName("podcast-d2").camelCase == "PodcastD2")
    }

    @Test func `has the units of viewmodeld`() throws {
        let units = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../systemd/user").standardized
        let service = try String(contentsOf: units.appending(path: "viewmodeld.service"), encoding: .utf8)
        let socket = try String(contentsOf: units.appending(path: "viewmodeld.socket"), encoding: .utf8)
        // A new package has no manual.
        let manual = /Documentation=.*\n/
        #expect(NewPackage.service("viewmodeld", program: "/usr/bin/viewmodeld") == service.replacing(manual, with: ""))
        #expect(NewPackage.unit("viewmodeld.socket", of: "viewmodeld") == socket.replacing(manual, with: ""))
        #expect(!NewPackage.service("podcastd", program: "/p").contains("viewmodeld"))
        #expect(!NewPackage.unit("viewmodeld.socket", of: "podcastd").contains("viewmodeld"))
    }

    @Test func `is not written over a folder that exists`() throws {
        let folder = URL(filePath: NSTemporaryDirectory()).appending(path: UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let package = NewPackage(
            name: try PackageName("podcastd"),
            library: try LibraryPackage("https://h/r.git"),
            features: []
        )
        try package.write(to: folder)
        #expect(throws: CommandFailure.usage("\(folder) exists already", remedy: "Choose another name, or remove it")) {
            try package.write(to: folder)
        }
        let failure = #expect(throws: CommandFailure.self) { try package.write(to: "\(folder)/none/here") }
        #expect(failure?.status == .failed)
    }

    @Test(arguments: [true, false]) func `has the products of accounts only with accounts`(hasAccounts: Bool) throws {
        let package = NewPackage(
            name: try PackageName("podcastd"),
            library: try LibraryPackage("https://h/r.git"),
            features: hasAccounts ? [.accounts] : []
        )
        let manifest = try #require(package.files.first { $0.path == "Package.swift" }).text
        for (product, count) in [("Accounts", 2), ("AccountsTesting", 1), ("AccountsFeature", 1)] {
            let uses = manifest.components(separatedBy: "\"\(product)\"").count - 1
            #expect(uses == (hasAccounts ? count : 0), "\(product)")
        }
        #expect(!manifest.contains("@"))
    }

    @Test func `depends on a release, or on a checkout`() throws {
        let release = try LibraryPackage("https://example.org/viewmodeld.git")
        #expect(release.dependency == #".package(url: "https://example.org/viewmodeld.git", from: "1.0.0")"#)
        #expect(release.identity == "viewmodeld")
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized
        let checkout = try LibraryPackage(root.path)
        #expect(checkout.dependency == #".package(path: "\#(root.path)")"#)
        #expect(checkout.identity == root.lastPathComponent)
        #expect(throws: CommandFailure.self) { try LibraryPackage("/tmp") }
    }
}
