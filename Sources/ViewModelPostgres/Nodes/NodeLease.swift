import Digests
import Logging
import ViewModelStorage

/// The lease of this boot: the claim of this run of the daemon on its sessions, outbox items and token refreshes.
///
/// One row of the database stands for all of them. Its end is a time of the database's clock. When it has passed, other
/// nodes may take over.
struct NodeLease: Sendable {
    /// The condition that the lease of a row `n` of the table `node` holds.
    ///
    /// After a restart of the database each lease holds for three seconds, in which its node renews it.
    static let holds = """
        greatest(n.lease_until, pg_postmaster_start_time() + interval '3 seconds') > clock_timestamp()
        """

    /// The node's name (`node.name`).
    let name: String
    /// The id of this run of the daemon.
    let boot = [UInt8].random(count: 16).hexadecimal
    /// The duration of the lease (`store.leaseSeconds`).
    let duration: Duration
    let pool: ConnectionPool

    /// Registers this boot.
    ///
    /// Whatever an earlier boot of the same node had claimed becomes free.
    func register() async throws {
        try await pool.batch(
            [
                ("DELETE FROM node WHERE name = $1 AND boot <> $2", [.text(name), .text(boot)]),
                (
                    """
                    INSERT INTO node (boot, name, lease_until)
                    VALUES ($1, $2, clock_timestamp() + make_interval(secs => $3))
                    ON CONFLICT (boot) DO UPDATE SET lease_until = excluded.lease_until
                    """,
                    [.text(boot), .text(name), .real(duration / .seconds(1))]
                ),
                // A boot of a removed node never returns.
                ("DELETE FROM node WHERE lease_until < clock_timestamp() - interval '1 day'", []),
                ("DELETE FROM session_owner o WHERE NOT EXISTS (SELECT FROM node n WHERE n.boot = o.boot)", []),
                ("DELETE FROM session_request r WHERE NOT EXISTS (SELECT FROM node n WHERE n.boot = r.boot)", []),
                (
                    "DELETE FROM session_report r WHERE NOT EXISTS (SELECT FROM session_owner o WHERE o.fence = r.fence)",
                    []
                ),
            ]
        )
    }

    /// Renews the lease, and with it all claims of this boot.
    ///
    /// A row that is gone is made anew, unless a daemon of the same name has one.
    ///
    /// - Returns: whether the lease holds for its whole duration from now on, because no daemon with the same `node.name` has
    ///   started.
    /// - Throws: `StoreError` if the database does not answer within half of the duration, or somewhat more.
    func renew() async throws(StoreError) -> Bool {
        try await !pool.rows(
            """
            WITH renewed AS (
                UPDATE node SET lease_until = clock_timestamp() + make_interval(secs => $2) WHERE boot = $1 RETURNING boot
            ), made AS (
                INSERT INTO node (boot, name, lease_until)
                SELECT $1, $3, clock_timestamp() + make_interval(secs => $2) WHERE NOT EXISTS (SELECT FROM renewed)
                ON CONFLICT DO NOTHING RETURNING boot
            )
            SELECT boot FROM renewed UNION ALL SELECT boot FROM made
            """,
            [.text(boot), .real(duration / .seconds(1)), .text(name)],
            limit: duration / 3
        ).isEmpty
    }

    /// Renews the lease every third of its duration until the task is cancelled, and logs its loss and its return.
    ///
    /// After a failure it tries again within half a second, because a database that is back waits for few seconds.
    ///
    /// - Parameters:
    ///   - logger: the log.
    ///   - sessionsMayBeLost: called when other nodes may have taken sessions over. The lease does not wait for it.
    func keep(_ logger: Logger, sessionsMayBeLost: @escaping @Sendable () async -> Void) async {
        let node: Logger.Metadata = ["node": "\(name)"]
        var renewed = ContinuousClock.now
        var (isLost, isReplaced) = (false, false)
        func lose(_ reason: String) {
            guard !isLost else { return }
            isLost = true
            logger.warning(
                "The lease of this node has ended, so other nodes may take over its sessions",
                metadata: node.merging(["error": "\(reason)"]) { $1 }
            )
        }
        while !Task.isCancelled {
            let start = ContinuousClock.now
            var pause = duration / 3
            do {
                let isAlone = try await renew()
                let elapsed = ContinuousClock.now - renewed
                renewed = .now
                if elapsed > duration {
                    let seconds = elapsed.components.seconds
                    lose("It was not renewed for \(seconds) s. The process or the network stood still")
                }
                if isLost { logger.notice("The lease of this node holds again", metadata: node) }
                isLost = false
                if !isAlone, !isReplaced {
                    isReplaced = true
                    logger.error(
                        "Another daemon has the same node.name and takes over the sessions of this one",
                        metadata: node
                    )
                }
                // While the lease had expired, other nodes may have taken sessions over.
                if !isAlone || elapsed > duration { Task { await sessionsMayBeLost() } }
            } catch {
                logger.debug("The lease of this node was not renewed", metadata: ["error": "\(error)"])
                if ContinuousClock.now - renewed > duration { lose("\(error)") }
                pause = min(pause, .milliseconds(500))
            }
            try? await Task.sleep(until: start + pause)
        }
    }

    /// Gives up the lease and all claims of this boot at once, as on SIGTERM.
    func release() async throws {
        try await pool.batch(
            [
                ("DELETE FROM session_owner WHERE boot = $1", [.text(boot)]),
                ("DELETE FROM node WHERE boot = $1", [.text(boot)]),
            ]
        )
    }
}
