/// OpenMetrics text, read strictly: what the specification's grammar does not have is an error.
struct Exposition {
    struct Fault: Error {
        let line: Substring
        let what: String
    }

    /// The type of each family.
    private(set) var families: [String: String] = [:]
    private var samples: [Sample: Double] = [:]

    private struct Sample: Hashable {
        let name: String
        let labels: [String: String]
    }

    init(_ text: String) throws {
        guard text.hasSuffix("# EOF\n") else { throw Fault(line: text.suffix(20), what: "no end") }
        var current = ""
        var said: Set<Substring> = []
        for line in text.dropLast("# EOF\n".count).split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
            if let match = line.wholeMatch(of: /# (TYPE|UNIT|HELP) ([a-zA-Z_:][a-zA-Z0-9_:]*) (.+)/) {
                let name = String(match.2)
                if match.1 == "TYPE" {
                    guard families[name] == nil else { throw Fault(line: line, what: "a family twice") }
                    guard ["counter", "gauge", "histogram"].contains(match.3) else {
                        throw Fault(line: line, what: "an unknown type")
                    }
                    families[name] = String(match.3)
                    current = name
                    said = []
                }
                guard name == current, said.insert(match.1).inserted else {
                    throw Fault(line: line, what: "metadata out of place")
                }
                if match.1 == "UNIT", !name.hasSuffix("_\(match.3)") { throw Fault(line: line, what: "no such unit") }
            } else {
                try addSample(line, family: current)
            }
        }
    }

    /// A sample's value; nil where there is none.
    func value(_ name: String, _ labels: [String: String] = [:]) -> Double? {
        samples[Sample(name: name, labels: labels)]
    }

    private mutating func addSample(_ line: Substring, family: String) throws {
        guard
            let match = line.wholeMatch(
                of: /([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (NaN|[+-]Inf|-?[0-9]+(?:\.[0-9]+)?(?:e-?[0-9]+)?)/
            ), let type = families[family]
        else { throw Fault(line: line, what: "no sample") }
        let suffixes = ["counter": ["_total"], "gauge": [""], "histogram": ["_bucket", "_count", "_sum"]][type] ?? []
        guard suffixes.contains(where: { match.1 == family + $0 }) else {
            throw Fault(line: line, what: "a name of another family")
        }
        let sample = Sample(name: String(match.1), labels: try Self.labels(match.2 ?? ""))
        let value = Double(match.3.replacing("Inf", with: "infinity")) ?? .nan
        guard samples.updateValue(value, forKey: sample) == nil else { throw Fault(line: line, what: "a sample twice") }
        if type == "counter", !(value >= 0) { throw Fault(line: line, what: "a counter below nothing") }
    }

    private static func labels(_ text: Substring) throws -> [String: String] {
        var labels: [String: String] = [:]
        var rest = text
        while !rest.isEmpty {
            guard let match = rest.prefixMatch(of: /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\["\\n])*)"(,(?=.)|$)/) else {
                throw Fault(line: rest, what: "no label")
            }
            let value = match.2.replacing(/\\(.)/) { $0.1 == "n" ? "\n" : $0.1 }
            guard labels.updateValue(String(value), forKey: String(match.1)) == nil else {
                throw Fault(line: rest, what: "a label twice")
            }
            rest = rest[match.range.upperBound...]
        }
        return labels
    }
}
