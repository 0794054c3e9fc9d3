import TestSupport
import Testing

@testable import ViewModelHost

@Suite struct `A name table` {
    @Test(arguments: 1...5 as ClosedRange<UInt64>)
    func `finds what a dictionary would find`(seed: UInt64) {
        var random = Seeded(seed)
        var table = NameTable<Int>()
        var model: [String: Int] = [:]
        for number in 0..<2000 {
            let name = String(Int.random(in: 0..<400, using: &random), radix: 3)
            if Int.random(in: 0..<3, using: &random) == 0 {
                table[Array(name.utf8)] = nil
                model[name] = nil
            } else {
                table[Array(name.utf8)] = number
                model[name] = number
            }
            let other = String(Int.random(in: 0..<400, using: &random), radix: 3)
            #expect(table.find(other) == model[other])
            #expect(table.count == model.count)
        }
        for (name, value) in model { #expect(table.find(name) == value) }
    }

    @Test func `tells names apart byte by byte`() {
        let table = NameTable([("a.b", 1), ("a", 2), ("", 3), ("é", 4)])
        #expect(table.find("a.b") == 1)
        #expect(table.find("a") == 2)
        #expect(table.find("") == 3)
        #expect(table.find("é") == 4)
        #expect(table.find("e\u{301}") == nil)
        #expect(table.find("A") == nil)
    }
}
