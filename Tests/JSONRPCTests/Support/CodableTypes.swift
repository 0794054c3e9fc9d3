import Foundation
import JSONRPC

struct Window: Codable, Equatable {
    var offset: Int
    var limit: Int?
}

struct Bind: Codable, Equatable {
    var id: String
    var outputs: [String]?
    var windows: [String: Window]?
    var minInterval: Double?
    var isFast: Bool?
}

enum Key: String, Codable, CaseIterable {
    case one = "1", plus = "+", times = "*"
}

enum Level: Int, Codable, CaseIterable {
    case low = 1, high = 10
}

enum Shape: Codable, Equatable {
    case point
    case circle(radius: Double)
    case line(Int, to: [Key])
}

struct Empty: Codable, Equatable {}

/// A value that keeps its own JSON text, as `JSON` of `ViewModelKit` does.
struct Verbatim: Codable, Equatable {
    var text: String

    init(_ text: String) {
        self.text = text
    }

    init(from decoder: any Decoder) throws {
        guard let text = VerbatimText.read(from: decoder) else { throw Unexpected() }
        self.text = text
    }

    func encode(to encoder: any Encoder) throws {
        guard VerbatimText.write(text, to: encoder) else { throw Unexpected() }
    }
}

/// A base class and one that puts it under `super`.
class Animal: Codable {
    var legs = 4
}

final class Dog: Animal {
    enum CodingKeys: CodingKey { case name }

    var name: String

    init(name: String) {
        self.name = name
        super.init()
    }

    required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        name = try container.decode(String.self, forKey: .name)
        try super.init(from: container.superDecoder())
    }

    override func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        // Written before the name, and ended after it.
        try super.encode(to: container.superEncoder())
        try container.encode(name, forKey: .name)
    }
}

/// Nested containers, filled in turns.
struct Interleaved: Codable, Equatable {
    enum Keys: CodingKey { case left, right, middle }

    var left: [Int]
    var middle: Int
    var right: [String: Int]

    init(left: [Int], middle: Int, right: [String: Int]) {
        self.left = left
        self.middle = middle
        self.right = right
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Keys.self)
        var elements = try container.nestedUnkeyedContainer(forKey: .left)
        left = []
        while !elements.isAtEnd {
            var pair = try elements.nestedUnkeyedContainer()
            left.append(try pair.decode(Int.self))
        }
        middle = try container.decode(Int.self, forKey: .middle)
        let members = try container.nestedContainer(keyedBy: AnyKey.self, forKey: .right)
        right = [:]
        for key in members.allKeys { right[key.stringValue] = try members.decode(Int.self, forKey: key) }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Keys.self)
        var elements = container.nestedUnkeyedContainer(forKey: .left)
        var members = container.nestedContainer(keyedBy: AnyKey.self, forKey: .right)
        for (index, (key, value)) in right.sorted(by: { $0.key < $1.key }).enumerated() {
            try members.encode(value, forKey: AnyKey(stringValue: key))
            if index < left.count {
                var pair = elements.nestedUnkeyedContainer()
                try pair.encode(left[index])
            }
        }
        try container.encode(middle, forKey: .middle)
        for value in left.dropFirst(right.count) {
            var pair = elements.nestedUnkeyedContainer()
            try pair.encode(value)
        }
    }
}

struct AnyKey: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) {
        self.stringValue = stringValue
    }

    init?(intValue: Int) {
        nil
    }
}
