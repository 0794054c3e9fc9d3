import ViewModelKit

/// A ViewModel with a child, opened with arguments.
@ViewModel
final class Family {
    @Schemable
    struct Arguments {
        let name: String
    }
    struct Inputs {
        let rename = Input<String>()
    }
    struct Children {
        let child: Child
    }
    let inputs = Inputs(), children: Children

    init(_ arguments: Arguments) {
        let name = Cell(arguments.name)
        inputs.rename.assign(to: name)
        children = Children(child: Child(name))
    }
}

/// The child of a family.
@ViewModel
final class Child {
    struct Inputs {
        let call = Input<Void>()
    }
    struct Outputs {
        let name: Output<String>
        let called: Event<String>
    }
    let inputs = Inputs(), outputs: Outputs

    init(_ name: Signal<String>) {
        let called = Event<String>()
        outputs = Outputs(name: Output(name), called: called)
        inputs.call.sink { called.send(name.value) }
    }
}
