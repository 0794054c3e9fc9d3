import Foundation
import UnixIO
import ViewModelClient

/// The package of an author, with the daemon that it builds.
struct AuthorPackage {
    /// The result of a build.
    struct Build {
        /// Whether the build succeeded.
        let succeeded: Bool
        /// The first line that reports an error.
        let firstError: String?
        /// The path of the program.
        let program: String
    }

    /// The absolute path of the package.
    let folder: String
    /// The name of the executable product.
    let product: String
    /// The folders of the targets that a build of the product may read, below the package.
    private(set) var sources: [String]
    /// The folder of the built programs.
    private let programs: String

    /// Reads the description of a package.
    ///
    /// - Parameters:
    ///   - folder: the folder of the package.
    ///   - product: the name of an executable product; nil if the package has one.
    /// - Throws: `CommandFailure` for a folder without a package, and for a product that is missing or not unique.
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
                status: .failed,
                message: "The package cannot be read:\n\(description.firstError ?? description.text)"
            )
        }
        sources = Self.sources(description.text)
        let executables = Self.executables(description.text)
        if let product {
            guard executables.contains(product) else {
                throw CommandFailure.usage(
                    "The package has no executable \(product)",
                    remedy: "It has \(executables.joined(separator: ", "))"
                )
            }
            self.product = product
        } else {
            guard let only = executables.first, executables.count == 1 else {
                throw CommandFailure.usage(
                    executables.isEmpty
                        ? "The package has no executable"
                        : "The package has the executables \(executables.joined(separator: ", "))",
                    remedy: executables.isEmpty ? nil : "--product names one"
                )
            }
            self.product = only
        }
        let place = try await Self.swift(["build", "--package-path", folder, "--show-bin-path"])
        programs = place.text.split(separator: "\n").last.map(String.init) ?? "\(folder)/.build/debug"
    }

    /// Builds the product, and shows what the compiler says.
    func build() async throws -> Build {
        let result = try await Self.swift(["build", "--package-path", folder, "--product", product], isShown: true)
        return Build(succeeded: result.status == 0, firstError: result.firstError, program: "\(programs)/\(product)")
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

    /// Returns the names of the executable products in a description.
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

    /// The output of a command of Swift.
    private struct Output {
        let status: Int32
        let text: String

        /// The first error in a source file, else the first line with an error.
        var firstError: String? {
            let errors = text.split(separator: "\n").filter { $0.contains("error: ") }
            return (errors.first { $0.contains(".swift:") } ?? errors.first).map(String.init)
        }
    }

    private static func swift(_ arguments: [String], isShown: Bool = false) async throws -> Output {
        let pipe = Pipe()
        let process = try ChildProcess(
            "/usr/bin/env",
            ["swift"] + arguments,
            output: .descriptor(pipe.fileHandleForWriting.fileDescriptor)
        )
        try pipe.fileHandleForWriting.close()
        let reader = pipe.fileHandleForReading
        // Reading blocks, so it has a thread of its own.
        let text = Task.detached {
            var text = Data()
            while let part = try reader.read(upToCount: 65_536), !part.isEmpty {
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
