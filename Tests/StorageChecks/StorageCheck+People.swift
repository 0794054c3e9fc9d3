import Digests
import ViewModelHost
import ViewModelStorage

extension StorageCheck {
    static let people = [
        StorageCheck("a person has the same number for ever, which no other person has") { fixture, random in
            var known: [[UInt8]: UInt32] = [:]
            for _ in 0..<3 {
                let subjects = (0..<20).map { _ in SHA256.hash([UInt8.random(in: 0..<30, using: &random)]) }
                try await fixture.withStore { store in
                    for subject in subjects {
                        let number = try await store.userNumbers.number(of: subject)
                        try expect(ClosedRange.ofPeople.contains(number), "the number \(number)")
                        try expect(number, known[subject] ?? number, "the number of a known person")
                        known[subject] = number
                    }
                }
            }
            try expect(Set(known.values).count, known.count, "the count of numbers")
        },
        StorageCheck("whoever comes many times at once is one person") { fixture, _ in
            try await fixture.withStore { store in
                let numbers = try await withThrowingTaskGroup(of: [UInt32].self) { group in
                    for _ in 0..<8 {
                        group.addTask {
                            var numbers: [UInt32] = []
                            for name in UInt8(0)..<10 {
                                numbers.append(try await store.userNumbers.number(of: SHA256.hash([name])))
                            }
                            return numbers
                        }
                    }
                    return try await group.reduce(into: Set<[UInt32]>()) { $0.insert($1) }
                }
                try expect(numbers.count, 1, "the count of different answers")
                try expect(Set(numbers.first ?? []).count, 10, "the count of people")
            }
        },
    ]
}
