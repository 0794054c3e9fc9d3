import Testing
import ViewModelKit

@Suite struct `A password` {
    private struct Account {
        var password: Password? = "hunter2"
    }

    @Test func `is printed without its text, also as a part of a value`() {
        let account = Account()
        var dumped = ""
        dump(account, to: &dumped)
        let printed = ["\(account)", "\(account.password!)", String(reflecting: account), dumped]
        #expect(printed.allSatisfy { $0.contains("<password>") && !$0.contains("hunter2") }, "\(printed)")
    }
}
