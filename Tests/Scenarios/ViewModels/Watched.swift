import ViewModelKit

/// Shows how many look at it.
@ViewModel
final class Watched: BindingObserver {
    struct Outputs {
        /// How many clients bind it.
        let viewers: Output<Int>
        /// How often it was about to be read.
        let reads: Output<Int>
    }
    let outputs: Outputs
    private let viewers: Cell<Int>
    private let reads: Cell<Int>

    init() {
        let viewers = Cell(0, restoring: "viewers"), reads = Cell(0)
        self.viewers = viewers
        self.reads = reads
        outputs = Outputs(viewers: Output(viewers), reads: Output(reads))
    }

    func bindingsChanged(to count: Int) {
        viewers.value = count
    }

    func willBeRead() {
        reads.value += 1
    }
}
