import Synchronization
import Testing
import ViewModelKit
import ViewModelStorage
import ViewModelTesting

@testable import Accounts

@Suite(.timeLimit(.minutes(5))) struct `Two daemons with one store` {
    private let uid = AccountFixture.ada
    private let password = AccountFixture.password

    @Test func `show what the other one does: a sign-in, a newer page, another account and a sign-out`() async throws {
        try await TwoDaemons.run(NumberedProvider()) { daemons in
            let (first, second) = (daemons.first, daemons.second)
            await second.prepare(uid)
            var revision = second[uid].snapshot.revision
            #expect(second[uid].snapshot.state == .signedOut)
            /// Each step is one change.
            func expectChange(to page: AccountPage?) async {
                _ = await second[uid].reread()
                revision += 1
                let after = second[uid].snapshot
                #expect(after.page == page && after.state == (page == nil ? .signedOut : .signedIn) && !after.isStale)
                #expect(after.revision == revision && (after.fetchedAt == nil) == (page == nil))
                _ = await second[uid].reread()
                #expect(second[uid].snapshot == after)
            }

            _ = try await first[uid].signIn("ada", password: password)
            await expectChange(to: AccountPage(account: "ada", nickname: "page 1"))
            _ = try await first[uid].autoLogin()
            await expectChange(to: AccountPage(account: "ada", nickname: "page 2"))
            _ = try await first[uid].signIn("bob", password: password)
            await expectChange(to: AccountPage(account: "bob", nickname: "page 3"))
            try await first[uid].signOut()
            await expectChange(to: nil)
            #expect(try await second[uid].autoLogin() == nil)

            // The other daemon has the token, so it needs no sign-in of its own.
            _ = try await first[uid].signIn("ada", password: password)
            _ = await second[uid].reread()
            #expect(try await second[uid].autoLogin() == AccountPage(account: "ada", nickname: "page 5"))
        }
    }

    @Test func `show the same outbox, and share its delivery`() async throws {
        try await TwoDaemons.run(NumberedProvider()) { daemons in
            let (first, second) = (daemons.first.outboxes, daemons.second.outboxes)
            for outbox in [first, second] { await outbox[uid].loadIfSmall() }
            let message = try await first[uid].add("hello")
            _ = await second[uid].reread()
            #expect(second[uid].snapshot.messages == [message])
            let revision = second[uid].snapshot.revision
            _ = await second[uid].reread()
            #expect(second[uid].snapshot.revision == revision)

            #expect(try await second[uid].claim()?.id == message.id)
            #expect(try await first[uid].claim() == nil)
            _ = await first[uid].reread()
            #expect(first[uid].snapshot.messages.map(\.status) == [.sending])
            try await second[uid].finish(message.id, .sent)
            _ = await first[uid].reread()
            #expect(first[uid].snapshot.messages.map(\.status) == [.sent])
        }
    }

    @Test func `refresh a token once, and both use the fresh one`() async throws {
        let expired = Mutex<Set<String>>(["token 1"])
        let refreshes = Effect<String, Void>()
        let provider = NumberedProvider(
            onDelivery: { _, token in
                if expired.withLock({ $0.contains(token) }) { throw AccountError(.signedOut, "The token has expired") }
            },
            onRefresh: { try await refreshes($0) }
        )
        // The second daemon finds the refresh of the first one in progress, which goes on from here.
        try await TwoDaemons.run(provider, waiting: { refreshes.complete() }) { daemons in
            let (first, second) = (daemons.first, daemons.second)
            _ = try await first[uid].signIn("ada", password: password)
            await second.prepare(uid)

            async let sent: Void = first[uid].deliver("hello", key: "1")
            _ = try await refreshes.nextCall()
            try await second[uid].deliver("hello", key: "2")
            try await sent

            #expect(refreshes.calls.map(\.input) == ["token 1"])
            #expect(daemons.refreshes.isFree)
            // A token that is fresh already is found before a refresh begins.
            expired.withLock { _ = $0.insert("fresh token 1") }
            async let again: Void = first[uid].deliver("hello", key: "3")
            try await refreshes.nextCall().complete(with: ())
            try await again
            try await second[uid].deliver("hello", key: "4")
            #expect(refreshes.calls.map(\.input) == ["token 1", "fresh token 1"])
            #expect(daemons.refreshes.isFree)
        }
    }
}
