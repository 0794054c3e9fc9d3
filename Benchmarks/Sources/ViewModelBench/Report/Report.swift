import Foundation
import TextTable

/// The results of a run, as a Markdown table and as JSON.
struct Report: Encodable {
    let machine: String
    let rounds: Int
    let figures: [Figure]

    var table: String {
        let headers = ["what", "median", "p99 latency, µs", "floor", "ratio", "± noise", "target", "holds"]
        let table = TextTable<Figure> { figure in
            zip(headers, Self.cells(of: figure)).map { Column(title: $0, value: $1) }
        }
        let text = table.string(for: figures, style: Style.pipe) ?? ""
        return "\(machine); medians of \(rounds) rounds\n\n\(text)"
    }

    var json: String {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            return String(decoding: try encoder.encode(self), as: UTF8.self)
        }
    }

    private static func cells(of figure: Figure) -> [String] {
        [
            figure.name,
            "\(number(figure.median)) \(figure.unit)",
            figure.percentile99.map { number($0) } ?? "",
            figure.floorMedian.map { number($0) } ?? "",
            figure.ratio.map { number($0) } ?? "",
            number(figure.noise),
            target(of: figure),
            figure.isJudged ? (figure.holds ? "yes" : "no") : "",
        ]
    }

    private static func target(of figure: Figure) -> String {
        let sign = figure.ratio == nil ? "" : "×"
        return switch figure.target {
        case .atMost(let limit): "≤ \(number(limit))\(sign)"
        case .atLeast(let limit): "≥ \(number(limit))\(sign)"
        case .none: ""
        }
    }

    /// Returns a number with three digits, or with all digits of its integer part.
    private static func number(_ value: Double) -> String {
        let digits = value.magnitude >= 100 ? 0 : value.magnitude >= 10 ? 1 : 2
        return String(format: "%.\(digits)f", value)
    }

    /// The machine's cores, processor and kernel.
    static var thisMachine: String {
        let processors = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
        let model = processors.split(separator: "\n").first { $0.hasPrefix("model name") }?
            .split(separator: ":").last?.trimmingCharacters(in: .whitespaces)
        let kernel = (try? String(contentsOfFile: "/proc/sys/kernel/osrelease", encoding: .utf8)) ?? "?"
        return "\(ProcessInfo.processInfo.activeProcessorCount) cores, \(model ?? "unknown processor"), "
            + "Linux \(kernel.trimmingCharacters(in: .whitespacesAndNewlines))"
    }
}
