package import Yams

extension YamlError {
    /// The line of the error, or nil if the error has no position.
    package var line: Int? {
        switch self {
        case .scanner(_, _, let mark, _), .parser(_, _, let mark, _), .composer(_, _, let mark, _): mark.line
        case .duplicatedKeysInMapping(_, let context): context.mark.line
        default: nil
        }
    }

    /// The error without the text of the file.
    package var problem: String {
        switch self {
        case .scanner(let context, let problem, _, _), .parser(let context, let problem, _, _),
            .composer(let context, let problem, _, _):
            context.map { "\($0.text), \(problem)" } ?? problem
        case .duplicatedKeysInMapping(let duplicates, _):
            "a key stands in its map more than once: \(duplicates.joined(separator: ", "))"
        case .reader(let problem, _, _, _):
            problem
        default:
            "\(self)"
        }
    }
}
