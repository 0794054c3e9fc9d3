import Foundation
import UnixIO
import ViewModelClient
import ViewModelCommands

/// The package of an author, with the daemon that it builds.
struct AuthorPackage {
    struct Output {
        let status: Int32
        let text: String

        /// The first error in a source file, else the first line with an error.
        var firstError: String? {
            let errors = text.split(separator: "\n").filter { $0.contains("error: ") }
            return (errors.first { $0.contains(".swift:") } ?? errors.first).map(String.init)
        }
    }

    /// The absolute path of the package.
    let folder: String
    let product: String
    /// The folders of the targets that a build of the product may read, below the package.
    private(set) var sources: [String]
    /// The path of the built program.
    let program: String

    /// Reads the description of a package.
    ///
    /// The product can be nil if the package has one executable.
    init(_ folder: String, product: String?) async throws {
        let folder = URL(fileURLWithPath: folder).standardizedFileURL.path
        guard FileManager.default.fileExists(atPath: "\(folder)/Package.swift") else {
            throw CommandFailure.usage(
                "\(folder) has no Package.swift",
                remedy: "viewmodelctl new NAME makes a package"
            )
        }
        self.folder = folder
        let description = try await Self.description(of: folder)
        guard description.status == 0 else {
            throw CommandFailure(
                .failed,
                "The package cannot be read:\n\(description.firstError ?? description.text)"
            )
        }
        sources = Self.sources(description.text)
        let executables = Self.executables(description.text)
        let names = executables.joined(separator: ", ")
        if let product, !executables.contains(product) {
            throw CommandFailure.usage("The package has no executable \(product)", remedy: "It has \(names)")
        }
        if executables.isEmpty { throw CommandFailure.usage("The package has no executable") }
        guard let product = product ?? (executables.count == 1 ? names : nil) else {
            throw CommandFailure.usage("The package has the executables \(names)", remedy: "--product names one")
        }
        self.product = product
        let programs = try await Self.swift(["build", "--package-path", folder, "--show-bin-path"])
        program = "\(programs.text.split(separator: "\n").last ?? "\(folder)/.build/debug")/\(self.product)"
    }

    /// Builds the product, and shows what the compiler says.
    func build() async throws -> Output {
        try await Self.swift(["build", "--package-path", folder, "--product", product], isShown: true)
    }

    /// Reads the folders of the targets again, after a change of `Package.swift`.
    ///
    /// A package that cannot be read keeps them.
    mutating func readSources() async throws {
        let description = try await Self.description(of: folder)
        if description.status == 0 { sources = Self.sources(description.text) }
    }

    private static func description(of folder: String) async throws -> Output {
        try await swift(["package", "--package-path", folder, "describe", "--type", "json"])
    }

    static func executables(_ description: String) -> [String] {
        (members(of: description)?["products"]?.arrayValue ?? []).compactMap { product in
            product["type"]?["executable"] == nil ? nil : product["name"]?.stringValue
        }
    }

    /// Returns the folders of the targets in a description, without those of tests.
    static func sources(_ description: String) -> [String] {
        let targets = members(of: description)?["targets"]?.arrayValue ?? []
        let paths = targets.filter { $0["type"]?.stringValue != "test" }.compactMap { $0["path"]?.stringValue }
        return Set(paths).sorted()
    }

    /// Returns a description as JSON; warnings may stand before it.
    private static func members(of description: String) -> JSONValue? {
        description.firstIndex(of: "{").flatMap { JSONValue(text: Array(description[$0...].utf8)) }
    }

    private static func swift(_ arguments: [String], isShown: Bool = false) async throws -> Output {
        let pipe = Pipe()
        let written = pipe.fileHandleForWriting.fileDescriptor
        let process = try ChildProcess(
            "/usr/bin/env",
            ["swift"] + arguments,
            descriptors: [nil, written, written]
        )
        try pipe.fileHandleForWriting.close()
        let reader = pipe.fileHandleForReading
        // Reading blocks, so it has a thread of its own.
        let text = Task.detached {
            var text = Data()
            // `read(upToCount:)` would wait until the buffer is full, and show nothing meanwhile.
            while true {
                let part = reader.availableData
                if part.isEmpty { break }
                text += part
                if isShown { try Descriptor.error.write(Array(part)) }
            }
            return String(decoding: text, as: UTF8.self)
        }
        let status = await process.end()
        try Task.checkCancellation()
        return Output(status: status, text: try await text.value)
    }
}
