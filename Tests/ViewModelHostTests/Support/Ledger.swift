import ViewModelKit
import ViewModelTesting

/// Keeps numbers, also on another node.
@ViewModel
final class Ledger {
    struct Inputs {
        let note = Input<Int>()
        /// Counts the passwords as numbers of their characters.
        let password = Input<Password>()
    }
    struct Outputs {
        let numbers: Output<[Int]>
    }
    struct Actions {
        @Policy(.concurrent) let add: Action<Int, Int>
        /// Waits for the test.
        @Policy(.concurrent) let work: Action<Int, Int>
        /// Adds the number of a password's characters, or fails with the password.
        @Policy(.concurrent) let unlock: Action<Unlock, Int>
        @Policy(.concurrent) let reveal: Action<Int, Password>
    }
    /// A password in a part of the params.
    @Schemable
    struct Unlock: Sendable {
        @Schemable
        struct Proof: Sendable {
            var passwords: [Password]
        }
        var proof: Proof
    }

    let inputs = Inputs(), outputs: Outputs, actions: Actions

    init(work: Effect<Int, Int>) {
        let numbers = Cell<[Int]>([], restoring: "numbers")
        inputs.note.sink { numbers.value.append($0) }
        inputs.password.sink { numbers.value.append($0.revealed.count) }
        outputs = Outputs(numbers: Output(numbers))
        actions = Actions(
            add: Action { number in
                numbers.value.append(number)
                return numbers.value.count
            },
            work: Action { try await work($0) },
            unlock: Action { unlock in
                let passwords = unlock.proof.passwords.map(\.revealed)
                guard let password = passwords.first, password != "wrong" else {
                    throw ActionFailure("wrong", details: "hunter2")
                }
                numbers.value.append(password.count)
                return numbers.value.count
            },
            reveal: Action { number in
                numbers.value.append(number)
                return Password("secret-\(number)")
            }
        )
    }
}
