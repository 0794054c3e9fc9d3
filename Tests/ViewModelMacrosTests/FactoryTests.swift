import Foundation
import Testing

@Suite struct `The factory of a class` {
    /// Returns the expansion of a model with these members, without the class itself.
    private func factory(_ members: String, _ modifiers: String = "final") -> String? {
        let source = "@SharedModel\n\(modifiers) class Playback {\n\(members)\n}"
        let text = expanded(source)
        return text.firstRange(of: "\n\nextension").map { String(text[$0.lowerBound...].dropFirst(2)) }
    }

    @Test func `has each parameter of the initialiser`() {
        let made = factory(
            """
            init(_ arguments: Arguments, clock: SessionClock, service: any Service, in places: [String: Places.Place],
                limit: Int = 3) throws {}
            """,
            "public final"
        )
        #expect(
            made == """
                extension Playback: ViewModelKit.SharedModel {
                    public static var dependencies: [ViewModelKit.Dependency] {
                        [.init(SessionClock.self), .init((any Service).self, named: "any Service"), .init(([String: Places.Place]).self)]
                    }

                    public static func make(in context: ViewModelKit.ViewModelContext) throws -> Playback {
                        try Playback(context.arguments(Arguments.self), clock: context.resolve(SessionClock.self), service: context.resolve((any Service).self), in: context.resolve(([String: Places.Place]).self))
                    }
                }
                """
        )
    }

    @Test(arguments: ["", "convenience init(a: Int) { self.init() }", "init(limit: Int = 3) {}"])
    func `needs nothing without parameters`(members: String) {
        #expect(
            factory(members) == """
                extension Playback: ViewModelKit.SharedModel {
                    static var dependencies: [ViewModelKit.Dependency] {
                        []
                    }

                    static func make(in context: ViewModelKit.ViewModelContext) throws -> Playback {
                        Playback()
                    }
                }
                """
        )
    }

    @Test func `sets the constants of a class without an initialiser`() {
        let source = """
            @SharedModel
            public final class Playback {
                private let clock: SessionClock, service: any Service
                let limit = 3
                static let shared: Int
                @State var current: Episode?
            }
            """
        #expect(
            expanded(source).contains(
                """
                    init(clock: SessionClock, service: any Service) {
                        self.clock = clock
                        self.service = service
                    }
                """
            ),
            "\(expanded(source))"
        )
        #expect(expanded(source).contains("try Playback(clock: context.resolve(SessionClock.self), service: "))
    }

    @Test(arguments: [
        "let a: () -> Void", "init() {}", "@State var a: Int?", "let a = 1, b: Int = 2", "lazy var a = 1",
    ])
    func `writes no initialiser`(members: String) {
        let made = expanded("@SharedModel\nfinal class Playback {\n\(members)\n}")
        #expect(
            made.components(separatedBy: "init(").count == members.components(separatedBy: "init(").count,
            "\(made)"
        )
    }

    @Test(arguments: [
        "init() {}\ninit(a: Int) {}", "private init() {}", "init(a: some Service) {}",
        "init(a: Box<some Service>) {}", "init<Value>(a: Value) {}", "init(a: @escaping () -> Void) {}",
        "init(a: () -> Void) {}", "init(a: inout Int) {}", "init(a: Int...) {}", "init(a: Int!) {}",
        "#if DEBUG\ninit() {}\n#endif",
    ])
    func `is refused where the types do not say how`(members: String) {
        let refusals = refusals(of: "@SharedModel\nfinal class Playback {\n\(members)\n}")
        #expect(
            refusals == [
                "2:13: @SharedModel creates the class from the types of its parameters; write one `init` that is not private "
                    + "and has plain types, or register the class with `catalog.share { … }`"
            ]
        )
    }

    @Test(arguments: ["class Playback {}", "struct Playback {}"]) func `belongs to a final class`(source: String) {
        #expect(
            refusals(of: "@SharedModel \(source)") == [
                "1:14: @SharedModel applies to a final class; write `final class`"
            ]
        )
    }
}
