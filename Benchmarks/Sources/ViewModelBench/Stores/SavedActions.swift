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
