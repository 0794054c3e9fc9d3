import ViewModelKit

/// A page with two parts.
@ViewModel
final class Page {
    struct Inputs {
        /// Sets the titles of both parts.
        let title = Input<String>()
    }
    struct Children {
        /// The part on the left.
        let left: Part
        /// The part on the right.
        let right: Part
    }
    let inputs = Inputs(), children: Children

    init() {
        let title = Cell("untitled")
        inputs.title.assign(to: title)
        children = Children(left: Part(title.map { "left \($0)" }), right: Part(title.map { "right \($0)" }))
    }
}

/// A part of a page.
@ViewModel
final class Part {
    struct Inputs {
        /// Counts.
        let tap = Input<Void>()
    }
    struct Outputs {
        /// What the page says.
        let title: Output<String>
        /// How often it was tapped.
        let taps: Output<Int>
    }
    let inputs = Inputs(), outputs: Outputs

    init(_ title: Signal<String>) {
        let taps = Cell(0)
        inputs.tap.sink { taps.value += 1 }
        outputs = Outputs(title: Output(title), taps: Output(taps))
    }
}
