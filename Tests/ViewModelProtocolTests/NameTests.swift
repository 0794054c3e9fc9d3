import Testing
import ViewModelProtocol

@Suite struct NameTests {
    static let longest = String(repeating: "a", count: 64)

    @Test(arguments: ["desk", "7", "a.b_c-d", longest])
    func `a session may be called so`(name: String) {
        #expect(SessionName(name)?.text == name)
    }

    @Test(arguments: ["", ".a", "_a", "a b", "é", "a/b", longest + "a"])
    func `a session may not be called so`(name: String) {
        #expect(SessionName(name) == nil)
    }

    @Test(arguments: ["lab", "lab-2_x", longest])
    func `an instance may be called so`(id: String) {
        #expect(InstanceID(id)?.text == id)
    }

    @Test(arguments: ["", "2lab", "a.b", "é", longest + "a"])
    func `an instance may not be called so`(id: String) {
        #expect(InstanceID(id) == nil)
    }

    @Test func `a method is split at its last dot`() {
        let path = MemberPath(method: "mine.header.select")
        #expect(path?.instance == "mine.header")
        #expect(path?.member == "select")
        #expect(path?.method == "mine.header.select")
        #expect(MemberPath(method: "select") == nil)
        #expect(MemberPath(method: ".select") == nil)
        #expect(MemberPath(method: "mine.") == nil)
    }
}
