import ViewModelKit

/// Takes a value whose shape nobody can tell.
@ViewModel
final class Riddle {
    /// Reads nothing that anybody says.
    struct Answer: Codable {
        init(from decoder: any Decoder) throws { throw Accident() }
        func encode(to encoder: any Encoder) throws {}
    }

    struct Inputs {
        /// Says what it is.
        let solve = Input<Answer>()
        /// Gives up.
        let skip = Input<Void>()
    }
    let inputs = Inputs()
}
