import Accounts
import ViewModelKit

/// Who is signed in, above the rows of the page.
@ViewModel
final class MineHeader {
    struct Inputs {
        /// A tap on the header: shows the profile, or the way in.
        let select = Input<Void>()
    }
    struct Outputs {
        /// What the person is called.
        let nickname: Output<String>
        /// The telephone number with its middle made unreadable.
        let phone: Output<String>
        /// The address of a picture.
        let avatar: Output<String?>
    }

    let inputs = Inputs(), outputs: Outputs

    init(account session: SessionAccount, coordinator: Coordinator) {
        let page = session.snapshot.map(\.page)
        outputs = Outputs(
            nickname: Output { page.value?.nickname ?? "click login" },
            phone: Output { page.value?.phone ?? "" },
            avatar: Output { page.value?.avatar }
        )
        let isSignedIn = session.isSignedIn
        inputs.select.sink { coordinator.push(isSignedIn.value ? "profile" : "login") }
    }
}
