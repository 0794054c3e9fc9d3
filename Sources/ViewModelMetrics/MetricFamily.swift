/// The series of one name, which differ in their labels.
struct MetricFamily: Sendable {
    enum Kind: String {
        case counter
        case gauge
        case histogram
    }

    let kind: Kind
    var series: [MetricLabels: any AnyObject & Sendable] = [:]
}

/// The labels of a series as they are written: `name="value",…`, in the order of their names; empty for none.
struct MetricLabels: Hashable, Comparable {
    let text: String

    init(_ dimensions: [(String, String)]) {
        text = dimensions.sorted { $0.0 < $1.0 }
            .map { "\(MetricName.valid($0, allowsColon: false))=\"\(OpenMetricsText.escaped($1))\"" }
            .joined(separator: ",")
    }

    static func < (left: Self, right: Self) -> Bool { left.text < right.text }
}

/// Names as OpenMetrics takes them.
enum MetricName {
    /// Letters, digits, `_` and `:`, no digit first; anything else becomes `_`.
    static func valid(_ label: String, allowsColon: Bool = true) -> String {
        var name = ""
        for scalar in label.unicodeScalars {
            switch scalar {
            case "a"..."z", "A"..."Z", "_": name.unicodeScalars.append(scalar)
            case "0"..."9" where !name.isEmpty: name.unicodeScalars.append(scalar)
            case ":" where allowsColon: name.unicodeScalars.append(scalar)
            default: name += "_"
            }
        }
        return name.isEmpty ? "_" : name
    }

    /// A counter's family is called without the `_total` that its samples end with.
    static func family(ofCounter label: String) -> String {
        let name = valid(label)
        return name.hasSuffix("_total") ? String(name.dropLast("_total".count)) : name
    }
}
