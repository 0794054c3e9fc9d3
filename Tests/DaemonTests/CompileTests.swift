import Foundation
import Subprocess
import SystemPackage
import Testing

/// What the compiler says about mistakes in ViewModels, with the macros and the kit as they are built.
@Suite(
    .enabled(
        if: ProcessInfo.processInfo.environment["VIEWMODELD_TESTS"] == nil,
        "a sanitizer in the macros is no part of what the compiler says"
    )
)
struct CompileTests {
    /// A message of the compiler.
    private struct Message: Hashable {
        let line: Int
        let text: String
    }

    /// Returns the errors of a source, or its warnings, with line 0 for those in the expansion of a macro.
    private func messages(_ kind: String = "error", in source: String) async throws -> [Message] {
        let folder = FileManager.default.temporaryDirectory.appending(path: "compile-\(UUID())").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let file = "\(folder)/Source.swift"
        try source.write(toFile: file, atomically: true, encoding: .utf8)
        let built = TemporaryDaemon.built
        let result = try await run(
            .name("swiftc"),
            arguments: [
                "-typecheck", "-swift-version", "6", "-diagnostic-style=llvm", "-I", "\(built)/Modules",
                "-Xcc", "-fmodule-map-file=\(built)/CUnixIO.build/module.modulemap",
                "-load-plugin-executable", "\(built)/ViewModelMacros-tool#ViewModelMacros", file,
            ],
            output: .discarded,
            error: .string(limit: 1 << 20)
        )
        let lines = (result.standardError).split(separator: "\n")
        #expect(!lines.contains { $0.contains("no such module") || $0.contains("plugin") }, "\(lines)")
        return lines.compactMap { line in
            guard let match = line.firstMatch(of: /(?:Source\.swift:(\d+):\d+: )?(error|warning): (.*)/),
                match.2 == kind
            else { return nil }
            return Message(line: match.1.flatMap { Int($0) } ?? 0, text: String(match.3))
        }
    }

    private static let schemable = "clients see this type; write `@Schemable` before its declaration"
    private static let failure = "clients see this error; write `@Failure` before the enum, or a plain `throws`"
    private static let child = "a part that is a ViewModel is a child; write `@Child let`"
    private static let saved = "the value is saved; write `@Schemable` before the declaration of its type"

    @Test func `each member whose type lacks its attribute has an error that says what to write`() async throws {
        let members = [
            ("@Output var a: Plain = Plain()", Self.schemable), ("@Output var a: Plain?", Self.schemable),
            ("@Output var a: [Plain] { [] }", Self.schemable),
            ("@Output var a: Rows<PlainRow> = []", Self.schemable), ("@Rows var a: [PlainRow] { [] }", Self.schemable),
            ("@Rows(of: PlainRow.init) var a: [Int] { [] }", Self.schemable),
            ("@Field var a: Plain = Plain()", Self.schemable), ("@Event var a: Plain", Self.schemable),
            ("@Input func a(_ b: Plain) {}", Self.schemable), ("@Input func a(b: Plain, c: Int) {}", Self.schemable),
            ("@Action func a(_ b: Plain) {}", Self.schemable),
            ("@Action func a(b: Int, c: Plain?) {}", Self.schemable),
            ("@Action func a() -> Plain { Plain() }", Self.schemable),
            ("@Action func a() throws(PlainError) {}", Self.failure),
            ("@State(.session) var a: Plain = Plain()", Self.saved),
            ("@Output var a: Character = \"a\"", "write `String`"),
            ("@Input func a(_ b: Substring) {}", "write `String`"),
            ("@Output var a: Part = Part()", Self.child), ("@Output var a: Part { Part() }", Self.child),
            ("@Action func a() -> Part { Part() }", Self.child),
            ("@Throws(PlainError.self) @Action func a() throws {}", Self.failure),
            (
                "struct Outputs {\n let a: Output<Plain>\n}\nlet outputs = Outputs(a: Output(Plain()))",
                Self.schemable
            ),
        ]
        let source = """
            import ViewModelKit
            struct Plain {}
            struct PlainRow: Identifiable { let id: Int }
            enum PlainError: Error { case a }
            @ViewModel final class Part { @Output var a = 1 }

            """
        for (member, remedy) in members {
            let found = try await messages(in: source + "@ViewModel final class Model {\n\(member)\n}")
            let line = member.hasPrefix("struct") ? 8 : 7
            #expect(found.contains { $0.line == line && $0.text.hasSuffix(remedy) }, "\(member): \(found)")
        }
    }

    @Test func `a detail of a failure that lacks @Schemable has an error that says so`() async throws {
        let found = try await messages(
            in: "import ViewModelKit\nstruct Plain: Equatable {}\n@Failure enum Why {\ncase a\ncase b(plain: Plain)\n}"
        )
        #expect(found.contains { $0.line == 5 && $0.text.hasSuffix(Self.schemable) }, "\(found)")
    }

    @Test func `an array of rows as an output has a warning that says how clients get its changes alone`() async throws
    {
        let found = try await messages(
            "warning",
            in: """
                import ViewModelKit
                @Schemable struct Row: Identifiable { let id: Int }
                @ViewModel final class Model {
                    @Output var a: [Row] = []
                    @Output var b: [Row] { a }
                }
                """
        )
        #expect(found.map(\.line) == [4, 5])
        #expect(found.allSatisfy { $0.text.contains("write `@Rows var x: [Row] { … }`, or") }, "\(found)")
    }

    @Test func `an object that a class makes for itself has a warning if the session has it`() async throws {
        let found = try await messages(
            "warning",
            in: """
                import ViewModelKit
                import Synchronization
                @SharedModel final class Basket { @State var count = 0 }
                @ViewModel final class Badge { @Output var count = 0 }
                struct Box<Value> { let value: Value }
                @ViewModel final class Shop {
                    @Output var count: Int { basket.count }
                    private let basket = Basket()
                    let badge = Badge()
                    private let box = Box(value: 1)
                    private let mutex = Mutex(1)
                    @Child let child = Badge()
                }
                @SharedModel final class Depot { private let basket = Basket() }
                """
        )
        #expect(found.map(\.line) == [8, 14], "\(found)")
        #expect(found.first?.text.contains("write `let x: Model` to get the session's") == true)
    }

    @Test func `a base class with @ViewModel is refused, also beside its subclass`() async throws {
        let found = try await messages(
            in: "import ViewModelKit\n@ViewModel class Base { @Output var a = 1 }\nfinal class Model: Base {}"
        )
        #expect(found.contains { $0.line == 2 && $0.text.hasPrefix("A ViewModel is a final class") }, "\(found)")
    }

    @Test func `right declarations have no error`() async throws {
        let found = try await messages(
            in: """
                import ViewModelKit
                @Schemable struct Row: Identifiable { let id: Int }
                @Failure enum Why { case a(row: Row) }
                @Failure enum Other { case b }
                @ViewModel final class Model {
                    private struct Own: Codable, Equatable {}
                    @Output var a: Row?
                    @Output var b: Rows<Row> = []
                    @Event var c: Row
                    @State(.user) private var d: [Own] = []
                    @Input func e(_ f: [Row]) {}
                    @Action func g(h: Row, i: Int = 1) throws(Why) -> [String: Row] { [:] }
                    @Action @Throws(Why.self, Other.self) func j() throws {}
                }
                @ViewModel final class Explicit {
                    struct Inputs {
                        @Schemable struct Own { let a: Int }
                        let a = Input<Own>(), b = Input<Void>()
                    }
                    struct Actions { let c: Action<Row, Void> }
                    let inputs = Inputs(), actions = Actions(c: Action { _ in })
                }
                """
        )
        #expect(found == [])
    }
}
