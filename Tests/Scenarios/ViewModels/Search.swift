import ViewModelKit
import ViewModelTesting

/// Searches with each value, in a service that waits for the test.
@ViewModel
final class Search {
    struct Inputs {
        /// Searches.
        let text = Input<Int>()
        /// Searches without a handler of errors.
        let other = Input<Int>()
    }
    struct Outputs {
        let found: Output<Int?>
        let results: Output<[Int]>
        let problem: Output<String?>
    }

    let inputs = Inputs(), outputs: Outputs

    init(service: Effect<Int, Int>) {
        let found = Cell<Int?>(nil), results = Cell<[Int]>([]), problem = Cell<String?>(nil)
        let work = inputs.text.flatMapLatest {
            try await service($0)
        } onError: {
            problem.value = "\($0)"
        }
        work.sink {
            found.value = $0
            results.value.append($0)
        }
        inputs.other.flatMapLatest { try await service($0) }.sink { found.value = $0 }
        outputs = Outputs(found: Output(found), results: Output(results), problem: Output(problem))
    }
}
