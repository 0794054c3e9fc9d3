/// The series with one name.
///
/// They differ in their labels.
struct MetricFamily: Sendable {
    enum Kind: String {
        case counter
        case gauge
        case histogram
    }

    let kind: Kind
    var series: [MetricLabels: any AnyObject & Sendable] = [:]
}

/// The text of a series' labels: `name="value",…`, sorted by name; empty without labels.
struct MetricLabels: Hashable, Comparable {
    let text: String

    init(_ dimensions: [(String, String)]) {
        text = dimensions.sorted { $0.0 < $1.0 }
            .map { "\(MetricName.valid($0, allowsColon: false))=\"\(OpenMetricsText.escaped($1))\"" }
            .joined(separator: ",")
    }

    static func < (left: Self, right: Self) -> Bool { left.text < right.text }
}

/// The rules of OpenMetrics for names.
enum MetricName {
    /// Returns a valid name: letters, digits, `_` and `:`, without a leading digit.
    ///
    /// `_` replaces any other character.
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

    /// Returns the name of a counter's family: the label without the suffix `_total`, which only its samples have.
    static func family(ofCounter label: String) -> String {
        let name = valid(label)
        return name.hasSuffix("_total") ? String(name.dropLast("_total".count)) : name
    }
}
