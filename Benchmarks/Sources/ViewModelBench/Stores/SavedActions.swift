/// Requests of one client whose effect is saved before they are answered.
///
/// Each function repeats its requests for some seconds and returns the median of their time in milliseconds.
enum SavedActions {
    private static let register: LineTemplate = #"""
        {"jsonrpc":"2.0","id":{id},"method":"login.register","params":{"account":"bench","password":"curiouser and 4"}}
        """#
    private static let credentials: [LineTemplate] = [
        #"{"jsonrpc":"2.0","id":{id},"method":"login.account","params":["bench"]}"#,
        #"{"jsonrpc":"2.0","id":{id},"method":"login.password","params":["curiouser and 4"]}"#,
    ]
    private static let submit: LineTemplate = #"{"jsonrpc":"2.0","id":{id},"method":"login.submit"}"#
    private static let signOut: LineTemplate = #"{"jsonrpc":"2.0","id":{id},"method":"login.signOut"}"#
    private static let press: LineTemplate =
        #"{"jsonrpc":"2.0","id":{id},"method":"calculator.press","params":["7"]}"#
    private static let sessions: [LineTemplate] = [
        #"{"jsonrpc":"2.0","id":{id},"method":"session.attach","params":{"session":"even","linger":0}}"#,
        #"{"jsonrpc":"2.0","id":{id},"method":"session.attach","params":{"session":"odd","linger":0}}"#,
    ]

    /// Signs in with a local account.
    ///
    /// The sign-out and the input of the credentials are not measured.
    static func signIn(_ client: LoadSocket, seconds: Double) throws -> Double {
        try client.call(register)
        return try median(seconds) { _ in
            for line in credentials { try client.call(line) }
            return try time { try client.call(submit) }
        } after: {
            try client.call(signOut)
        }
    }

    /// Adds an item to the outbox.
    ///
    /// The input of the text is not measured.
    static func add(_ client: LoadSocket, seconds: Double) throws -> Double {
        try median(seconds) { number in
            try client.call(SavingLoad.draft, number: number)
            return try time { try client.call(SavingLoad.add) }
        }
    }

    /// Leaves a session that has changed, so that it is saved, and attaches to another one that was saved before.
    static func changeSession(_ client: LoadSocket, seconds: Double) throws -> Double {
        for session in sessions {
            try client.call(session)
            try client.call(press)
        }
        return try median(seconds) { number in
            let duration = try time {
                let reply = try client.call(sessions[number % 2])
                guard reply.contains(#""restored":true"#) else { throw BenchFailure("not restored: \(reply)") }
            }
            try client.call(press)
            return duration
        }
    }

    private static func time(_ work: () throws -> Void) rethrows -> Double {
        let start = nanoseconds()
        try work()
        return Double(nanoseconds() - start) / 1e6
    }

    private static func median(
        _ seconds: Double,
        _ measure: (_ number: Int) throws -> Double,
        after: () throws -> Void = {}
    ) rethrows -> Double {
        let end = nanoseconds() + UInt64(seconds * 1e9)
        var times: [Double] = []
        while nanoseconds() < end || times.isEmpty {
            times.append(try measure(times.count))
            try after()
        }
        return Figure.median(times)
    }
}
