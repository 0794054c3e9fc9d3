import Accounts
import ViewModelKit

/// The header of the page, which shows the signed-in user.
@ViewModel
final class MineHeader {
    struct Inputs {
        /// Selects the header and shows the scene `profile`, or `login` while the user is signed out.
        let select = Input<Void>()
    }
    struct Outputs {
        /// The name by which the person is addressed.
        let nickname: Output<String>
        /// The telephone number with its middle digits masked.
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
