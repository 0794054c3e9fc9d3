/// An instruction of the automaton that searches a pattern (Thompson's construction).
enum PatternInstruction: Sendable {
    /// Consumes a character of a set.
    case one(set: Int)
    case assertion(PatternAssertion)
    /// Goes on at the next instruction and at another one.
    case fork(Int)
    case jump(Int)
    case match
}

/// The automaton of a pattern.
struct PatternProgram: Sendable {
    fileprivate(set) var instructions: [PatternInstruction] = []
    /// The sets apart, because a copy of an instruction is free without one.
    fileprivate(set) var sets: [ScalarSet] = []

    /// Creates the automaton of a pattern.
    ///
    /// - Throws: `TextPattern.Fault` for a pattern above the largest size, before a repetition is copied further.
    init(_ pattern: PatternNode) throws(TextPattern.Fault) {
        try append(pattern)
        try add(.match)
    }

    private mutating func append(_ node: PatternNode) throws(TextPattern.Fault) {
        switch node {
        case .one(let set):
            try add(.one(set: sets.count))
            sets.append(set)
        case .assertion(let assertion): try add(.assertion(assertion))
        case .sequence(let parts): for part in parts { try append(part) }
        case .alternatives(let parts):
            var ends: [Int] = []
            for part in parts.dropLast() {
                let fork = try add(.jump(0))
                try append(part)
                ends.append(try add(.jump(0)))
                instructions[fork] = .fork(instructions.count)
            }
            if let last = parts.last { try append(last) }
            for end in ends { instructions[end] = .jump(instructions.count) }
        case .repeated(let part, let least, let most):
            for _ in 0..<least { try append(part) }
            guard let most else {
                let fork = try add(.jump(0))
                try append(part)
                try add(.jump(fork))
                instructions[fork] = .fork(instructions.count)
                return
            }
            var forks: [Int] = []
            for _ in least..<most {
                forks.append(try add(.jump(0)))
                try append(part)
            }
            for fork in forks { instructions[fork] = .fork(instructions.count) }
        }
    }

    /// Adds an instruction, which is `.jump(0)` until its target is known, and returns its index.
    @discardableResult
    private mutating func add(_ instruction: PatternInstruction) throws(TextPattern.Fault) -> Int {
        let most = TextPattern.largestSize
        guard instructions.count < most else {
            throw TextPattern.Fault(description: "it has more than \(most) states", isUnsupported: true)
        }
        instructions.append(instruction)
        return instructions.count - 1
    }
}

extension PatternProgram {
    /// Returns whether a part of a text matches.
    ///
    /// The search follows all ways through the program at once, so that it reads each character once.
    func matches(_ text: String.UnicodeScalarView) -> Bool {
        // Buffers, because the checks of arrays take most of the time.
        instructions.withUnsafeBufferPointer { instructions in
            sets.withUnsafeBufferPointer { sets in
                // An instruction leads to at most two others, once at each position.
                withUnsafeTemporaryAllocation(of: Int.self, capacity: 5 * instructions.count + 1) { memory in
                    var search = PatternSearch(instructions, memory)
                    return search.matches(text, sets)
                }
            }
        }
    }
}

private struct PatternSearch: ~Copyable {
    private let instructions: UnsafeBufferPointer<PatternInstruction>
    /// The number of the characters before the last visit of each instruction, plus one.
    private let visits: UnsafeMutableBufferPointer<Int>
    /// The instructions that wait for a character.
    private let waiting: UnsafeMutableBufferPointer<Int>
    private var waitingCount = 0
    /// The instructions to visit.
    private let pending: UnsafeMutableBufferPointer<Int>
    private var pendingCount = 0

    init(_ instructions: UnsafeBufferPointer<PatternInstruction>, _ memory: UnsafeMutableBufferPointer<Int>) {
        let count = instructions.count
        memory.initialize(repeating: 0)
        self.instructions = instructions
        visits = memory.extracting(0..<count)
        waiting = memory.extracting(count..<2 * count)
        pending = memory.extracting(2 * count..<memory.count)
    }

    mutating func matches(_ text: String.UnicodeScalarView, _ sets: UnsafeBufferPointer<ScalarSet>) -> Bool {
        var characters = text.makeIterator()
        var former: Unicode.Scalar?
        var visit = 1
        while true {
            let next = characters.next()
            // A match may begin at each position.
            add(0)
            if reachesMatch(visit, between: former, and: next) { return true }
            guard let next else { return false }
            for index in 0..<waitingCount {
                let instruction = waiting[index]
                if case .one(let set) = instructions[instruction], sets[set].contains(next) { add(instruction + 1) }
            }
            waitingCount = 0
            former = next
            visit += 1
        }
    }

    /// Follows the pending instructions up to those that wait for a character; returns whether one ends a match.
    private mutating func reachesMatch(
        _ visit: Int,
        between former: Unicode.Scalar?,
        and next: Unicode.Scalar?
    ) -> Bool {
        while pendingCount > 0 {
            pendingCount -= 1
            let instruction = pending[pendingCount]
            guard visits[instruction] != visit else { continue }
            visits[instruction] = visit
            switch instructions[instruction] {
            case .one:
                waiting[waitingCount] = instruction
                waitingCount += 1
            case .assertion(let assertion):
                if assertion.holds(between: former, and: next) { add(instruction + 1) }
            case .fork(let other):
                add(other)
                add(instruction + 1)
            case .jump(let other): add(other)
            case .match: return true
            }
        }
        return false
    }

    private mutating func add(_ instruction: Int) {
        pending[pendingCount] = instruction
        pendingCount += 1
    }
}
