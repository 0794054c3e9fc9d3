import Accounts
import ViewModelKit

/// The page of the user's own: who they are, what they have, where they can go.
@ViewModel
final class Mine {
    struct Inputs {
        /// A tap on the row of this id: shows the scene of that name, or the way in.
        let select = Input<String>()
    }
    struct Outputs {
        /// Balance and red envelopes.
        let wallet: ListOutput<WalletRow>
        /// Where a signed-in user can go.
        let services: ListOutput<MenuRow>
        /// Where else.
        let others: ListOutput<MenuRow>
        /// How old what is shown is.
        let freshness: Output<Freshness>
    }
    struct Actions {
        /// Signs in with the stored token; runs once by itself, and again while the backend cannot be reached.
        @Policy(.shared) let autoLogin: Action<Void, AccountUser?>
        /// Fetches the page anew.
        @Policy(.shared) let refresh: Action<Void, Void>
    }
    struct Children {
        /// Who is signed in.
        let header: MineHeader
    }

    let inputs = Inputs(), outputs: Outputs, actions: Actions, children: Children

    init(account session: SessionAccount, coordinator: Coordinator, prompter: Prompter, clock: SessionClock) {
        children = Children(header: MineHeader(account: session, coordinator: coordinator))
        let snapshot = session.snapshot
        let wallet = snapshot.map { WalletRow.rows(of: $0.page) }
        outputs = Outputs(
            wallet: ListOutput(wallet),
            services: ListOutput(MenuRow.services),
            others: ListOutput(MenuRow.others),
            freshness: Output { Freshness(fetchedAt: snapshot.value.fetchedAt, stale: snapshot.value.isStale) }
        )
        let login = AutoLogin(session: session, prompter: prompter, clock: clock)
        actions = Actions(
            autoLogin: Action { try await login.run() },
            refresh: Action(enabled: session.isSignedIn) { try await login.refresh() }
        )
        let isSignedIn = session.isSignedIn
        let ids = wallet.untracked.map(\.id) + (MenuRow.services + MenuRow.others).map(\.id)
        inputs.select.check { id in
            guard ids.contains(id) else {
                throw InvalidValue(expected: "the id of a row", found: id, suggestions: ids)
            }
        }
        inputs.select.sink { coordinator.push(isSignedIn.value ? $0 : "login") }
        let autoLogin = actions.autoLogin
        login.again = { autoLogin.run() }
        autoLogin.run()
    }
}
