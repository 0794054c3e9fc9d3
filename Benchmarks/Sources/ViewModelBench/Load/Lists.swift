/// A load of changes to a long list of the daemon, with one bound client.
struct Lists {
    /// The number of rows.
    let rows: Int
    /// The number of rows in the client's window, or nil for no window.
    var window: Int?
    /// The request that makes a change.
    ///
    /// Its number identifies the change.
    let change: LineTemplate

    /// The request that changes a row near the front of the list.
    static let update: LineTemplate =
        #"{"jsonrpc":"2.0","id":{id},"method":"lab.update","params":{"id":7,"text":"text {n}"}}"#

    /// The request that moves a row near the front of the list.
    static let move: LineTemplate =
        #"{"jsonrpc":"2.0","id":{id},"method":"lab.move","params":{"from":3,"to":9}}"#

    /// Measures changes one after the other.
    ///
    /// A change ends when its reply and its frame have arrived.
    func measure(_ server: ServerProcess, changes: Int) throws -> Sample {
        let socket = try server.connect()
        try socket.call(#"{"jsonrpc":"2.0","id":{id},"method":"lab.append","params":[{n}]}"#, number: rows)
        try socket.call(
            window == nil
                ? #"{"jsonrpc":"2.0","id":{id},"method":"viewModel.bind","params":{"id":"lab","outputs":["rows"]}}"#
                : #"{"jsonrpc":"2.0","id":{id},"method":"viewModel.bind","params":{"id":"lab","outputs":["rows"],"windows":{"rows":{"offset":0,"limit":{n}}}}}"#,
            number: window ?? 0
        )
        var sample = Sample()
        func make(_ number: Int) throws {
            sample.notificationBytes += try socket.exchange(change, number: number, notifications: 1)
        }
        for number in 0..<100 { try make(number % 10) }
        sample.notificationBytes = 0
        let cpu = server.processorTime
        let begin = nanoseconds()
        for number in 0..<changes {
            let start = nanoseconds()
            // All numbers have two digits, so that texts have one length. Consecutive texts differ.
            try make(10 + number % 90)
            sample.add(latency: nanoseconds() - start)
        }
        sample.processorTime = server.processorTime - cpu
        sample.duration = nanoseconds() - begin
        sample.operations = changes
        return sample
    }
}
