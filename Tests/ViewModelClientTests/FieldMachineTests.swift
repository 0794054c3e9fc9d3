import Testing

@testable import ViewModelClient

@Suite struct FieldMachineTests {
    private func ready(_ output: String) -> FieldMachine<String> {
        var machine = FieldMachine<String>()
        machine.restored(output)
        return machine
    }

    @Test func `before the first picture a value waits`() {
        var machine = FieldMachine<String>()
        #expect(machine.shown == nil)
        machine.edit("a")
        #expect(machine.nextAction() == nil)
        #expect(machine.shown == "a")
        machine.restored("")
        #expect(machine.nextAction() == .send("a"))
    }

    @Test func `a value that was typed before the held reply is sent without reading`() {
        var machine = ready("")
        machine.edit("a")
        #expect(machine.nextAction() == .send("a"))
        machine.edit("ab")
        machine.inputAnswered(isHeld: true)
        #expect(machine.nextAction() == .send("ab"))
        #expect(machine.shown == "ab")
    }

    @Test func `a value that was typed during the reading follows it`() {
        var machine = ready("")
        machine.edit("a")
        #expect(machine.nextAction() == .send("a"))
        machine.inputAnswered(isHeld: true)
        #expect(machine.nextAction() == .read)
        machine.edit("ab")
        #expect(machine.nextAction() == nil)
        machine.outputRead("a")
        #expect(machine.shown == "ab")
        #expect(machine.nextAction() == .send("ab"))
    }

    @Test func `an edit that changes nothing is not sent`() {
        var machine = ready("a")
        machine.edit("a")
        #expect(machine.nextAction() == nil)
    }

    @Test func `after a reconnection the newest value is sent, not the one under way`() {
        var machine = ready("")
        machine.edit("a")
        #expect(machine.nextAction() == .send("a"))
        machine.edit("ab")
        machine.disconnected()
        machine.restored("a")
        #expect(machine.nextAction() == .send("ab"))
    }

    @Test func `after a reconnection an answered value is not sent again`() {
        var machine = ready("")
        machine.edit("a ")
        #expect(machine.nextAction() == .send("a "))
        machine.inputAnswered(isHeld: true)
        #expect(machine.nextAction() == .read)
        machine.disconnected()
        #expect(machine.shown == "a ")
        machine.restored("a")
        #expect(machine.shown == "a")
        #expect(machine.nextAction() == nil)
    }

    @Test func `in a new session the value that the person typed and still sees is sent again`() {
        var machine = ready("")
        machine.edit("milk ")
        #expect(machine.nextAction() == .send("milk "))
        machine.outputChanged("milk")
        machine.inputAnswered(isHeld: false)
        machine.disconnected()
        machine.restored("milk")
        #expect(machine.nextAction() == nil)
        machine.disconnected()
        machine.restored("", isNewSession: true)
        #expect(machine.shown == "milk")
        #expect(machine.nextAction() == .send("milk"))
    }

    @Test func `in a new session a value that the ViewModel has changed since is not sent again`() {
        var machine = ready("")
        machine.edit("milk")
        #expect(machine.nextAction() == .send("milk"))
        machine.outputChanged("milk")
        machine.inputAnswered(isHeld: false)
        machine.outputChanged("")
        machine.disconnected()
        machine.restored("saved", isNewSession: true)
        #expect(machine.nextAction() == nil)
        #expect(machine.shown == "saved")
    }

    @Test func `a stopping daemon's refusal counts as no answer`() {
        var machine = ready("")
        machine.edit("a")
        #expect(machine.nextAction() == .send("a"))
        machine.postponed()
        #expect(machine.shown == "a")
        #expect(machine.nextAction() == nil)
        machine.disconnected()
        machine.restored("")
        #expect(machine.nextAction() == .send("a"))
    }

    @Test func `a late reply after a reconnection has no effect`() {
        var machine = ready("x")
        machine.inputAnswered(isHeld: false)
        machine.outputRead("y")
        #expect(machine.shown == "x")
        #expect(machine.isSettled)
    }

    @Test func `a field that has ended keeps what it shows`() {
        var machine = ready("")
        machine.edit("a")
        machine.end(.closed)
        #expect(machine.nextAction() == nil)
        #expect(machine.shown == "a")
        machine.disconnected()
        machine.restored("")
        #expect(machine.phase == .ended)
    }

    @Test(arguments: [
        (3, "abc", "abc", 3), (0, "abc", "xabc", 0), (3, "abc", "ABC", 3), (4, "abc ", "abc", 3), (2, "abc", "", 0),
        (1, "abc", "xabc", 2), (2, "ab", "abc", 2), (2, "abcd", "abXcd", 2), (5, "abcde", "abXYcde", 7),
        (9, "abc", "abcd", 3), (-1, "abc", "x", 0), (2, "👩‍👩‍👧é", "👩‍👩‍👧É", 2), (2, "aXXb", "aYb", 2), (1, "ab", "AB", 1),
    ])
    func `a caret keeps its place in the common prefix or suffix`(caret: Int, old: String, new: String, moved: Int) {
        #expect(TextCaret.moved(caret, from: old, to: new) == moved)
    }
}
