import ViewModelKit

/// A page that comes back: its own text, and a number that the session's ViewModels share.
@ViewModel
final class Notebook {
    struct Inputs {
        /// Replaces the text.
        let text = Input<String>()
        /// Replaces what is not restored.
        let remark = Input<String>()
    }
    struct Outputs {
        /// What was written.
        let text: Output<String>
        /// What was remarked.
        let remark: Output<String>
        /// How often something was kept.
        let kept: Output<Int>
    }
    struct Actions {
        /// Counts.
        let keep: Action<Void, Void>
    }

    /// How often something was kept, in whatever notebook.
    final class Count {
        let cell = Cell(0, restoring: "count")
    }

    let inputs = Inputs(), outputs: Outputs, actions: Actions
    let count: Count

    init(count: Count) {
        self.count = count
        let text = Cell("", restoring: "text")
        let remark = Cell("")
        inputs.text.assign(to: text)
        inputs.remark.assign(to: remark)
        outputs = Outputs(text: Output(text), remark: Output(remark), kept: Output(count.cell))
        actions = Actions(keep: Action { count.cell.value += 1 })
    }
}
