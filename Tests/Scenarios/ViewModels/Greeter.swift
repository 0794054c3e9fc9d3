import ViewModelKit

/// Takes arguments, and refuses some.
@ViewModel
final class Greeter {
    @Schemable
    struct Arguments {
        let name: String
        let times: Int?
    }
    struct Outputs {
        /// The greeting.
        let greeting: Output<String>
    }
    let outputs: Outputs

    init(_ arguments: Arguments) throws {
        guard arguments.name != "nobody" else {
            throw InvalidValue(path: "/name", expected: "somebody", found: "nobody")
        }
        guard arguments.name != "crash" else { throw Accident() }
        let greetings = Array(repeating: "Hello \(arguments.name)", count: arguments.times ?? 1)
        outputs = Outputs(greeting: Output(greetings.joined()))
    }
}

/// An error that nobody expects.
struct Accident: Error {}
