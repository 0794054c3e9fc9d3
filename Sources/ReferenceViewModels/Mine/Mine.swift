import Accounts
import ViewModelKit

/// The user's own page with the wallet and the rows that lead to other scenes.
@ViewModel
final class Mine {
    struct Inputs {
        /// Selects the row with this id and shows the scene of that name, or `login` while the user is signed out.
        let select = Input<String>()
    }
    struct Outputs {
        /// The balance and the red envelopes.
        let wallet: ListOutput<WalletRow>
        /// The rows for the user's services.
        let services: ListOutput<MenuRow>
        /// The rows for help and feedback.
        let others: ListOutput<MenuRow>
        /// The age of the page.
        let freshness: Output<Freshness>
    }
    struct Actions {
        /// Signs in with the stored token; runs once at the start, and again while the backend is unreachable.
        @Policy(.shared) let autoLogin: Action<Void, AccountUser?>
        /// Fetches the page again.
        @Policy(.shared) let refresh: Action<Void, Void>
    }
    struct Children {
        /// The header with the signed-in user.
        let header: MineHeader
    }

    let inputs = Inputs(), outputs: Outputs, actions: Actions, children: Children

    init(account: SessionAccount, coordinator: Coordinator, prompter: Prompter, clock: SessionClock) {
        children = Children(header: MineHeader(account: account, coordinator: coordinator))
        let snapshot = account.snapshot
        let wallet = snapshot.map { WalletRow.rows(of: $0.page) }
        outputs = Outputs(
            wallet: ListOutput(wallet),
            services: ListOutput(MenuRow.services),
            others: ListOutput(MenuRow.others),
            freshness: Output { Freshness(fetchedAt: snapshot.value.fetchedAt, stale: snapshot.value.isStale) }
        )
        let login = AutoLogin(account: account, prompter: prompter, clock: clock)
        actions = Actions(
            autoLogin: Action { try await login.run() },
            refresh: Action(enabled: account.isSignedIn) { try await login.refresh() }
        )
        let isSignedIn = account.isSignedIn
        let ids = wallet.untracked.map(\.id) + (MenuRow.services + MenuRow.others).map(\.id)
        inputs.select.check { id in
            guard ids.contains(id) else {
                throw InvalidValue(expected: "the id of a row", found: id, suggestions: ids)
            }
        }
        inputs.select.sink { coordinator.push(isSignedIn.value ? $0 : "login") }
        let autoLogin = actions.autoLogin
        login.rerun = { autoLogin.run() }
        autoLogin.run()
    }
}

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

    init(account: SessionAccount, coordinator: Coordinator) {
        let page = account.snapshot.map(\.page)
        outputs = Outputs(
            nickname: Output { page.value?.nickname ?? "click login" },
            phone: Output { page.value?.phone ?? "" },
            avatar: Output { page.value?.avatar }
        )
        let isSignedIn = account.isSignedIn
        inputs.select.sink { coordinator.push(isSignedIn.value ? "profile" : "login") }
    }
}
