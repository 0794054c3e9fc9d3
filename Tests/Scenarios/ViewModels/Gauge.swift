import ViewModelKit

/// A ViewModel whose numbers JSON may not be able to write.
@ViewModel
final class Gauge {
    struct Inputs {
        /// Divides one by it, and counts.
        let divide = Input<Double>()
        /// Takes the square root of it, and counts.
        let root = Input<Double>()
    }
    struct Outputs {
        /// One divided by the last number, which is infinite for zero, or its square root, which may be no number.
        let quotient: Output<Double>
        /// How many have come.
        let count: Output<Int>
        /// Each quotient, as it happens.
        let told: Event<Double>
    }
    let inputs = Inputs(), outputs: Outputs

    init() {
        let (quotient, count, told) = (Cell(1.0), Cell(0), Event<Double>())
        outputs = Outputs(quotient: Output(quotient), count: Output(count), told: told)
        inputs.divide.sink { divisor in
            quotient.value = 1 / divisor
            count.value += 1
            told.send(1 / divisor)
        }
        inputs.root.sink { square in
            quotient.value = square.squareRoot()
            count.value += 1
        }
    }
}
