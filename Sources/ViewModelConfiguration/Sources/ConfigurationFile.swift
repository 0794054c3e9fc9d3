import JSONRPC
import ViewModelProtocol
import ViewModelYAML
import Yams

/// A configuration file in YAML, of which JSON is a subset.
///
/// Problems name the lines of the keys.
struct ConfigurationFile {
    let path: String
    private let program: DaemonProgram
    private(set) var problems: [ConfigurationProblem] = []
    /// The values by the names of their keys.
    private(set) var values: [String: ConfigurationValue] = [:]

    /// Parses the text of a file and collects the errors in ``problems``.
    init(path: String, text: String, of program: DaemonProgram) {
        self.path = path
        self.program = program
        do {
            guard let root = try Yams.compose(yaml: text.withoutByteOrderMark), !Self.isNull(root)
            else { return }
            guard let mapping = root.mapping else {
                addProblem(root.mark?.line, "the file is not a map of keys, such as \"log: {level: debug}\"")
                return
            }
            read(mapping, below: "")
        } catch let error as YamlError {
            addProblem(error.line, "the file is not to be read as YAML: \(error.problem)")
        } catch {
            addProblem(nil, "the file is not to be read as YAML: \(error)")
        }
    }

    private var keys: [ConfigurationKey] { program.configurationKeys }

    /// Returns whether a node is YAML's null, such as a section whose keys are all commented out.
    private static func isNull(_ node: Node) -> Bool { node.tag == Tag(.null) }

    private mutating func read(_ mapping: Node.Mapping, below section: String) {
        for (key, value) in mapping {
            let line = key.mark?.line
            guard let part = key.scalar?.string else {
                addProblem(line, "a key must be a text")
                continue
            }
            let name = section.isEmpty ? part : "\(section).\(part)"
            if let known = keys.first(where: { $0.name == name }) {
                read(value, for: known, line)
            } else if keys.contains(where: { $0.name.hasPrefix(name + ".") }) {
                readSection(value, name, line)
            } else if let problem = program.problem(withUnknown: name) {
                addProblem(line, problem)
            } else if DaemonProgram.feature(of: name) == nil {
                addProblem(line, "there is no key \(name)" + hint(for: name))
            }
        }
    }

    private mutating func read(_ value: Node, for key: ConfigurationKey, _ line: Int?) {
        if let first = values[key.name] {
            addProblem(line, "\(key.name) stands here for the second time, after line \(first.location.line ?? 0)")
            return
        }
        let value = ConfigurationValue(value, at: .init(source: path, line: line))
        // A key without a value means the default if the default is no value. Otherwise the empty value is an error.
        if value.isNothing, key.defaultText == nil { return }
        // No path has a zero byte. In a path of the environment it notes a byte that is not UTF-8.
        if key.kind.isPath, value.text?.utf8.contains(0) == true {
            addProblem(line, "\(key.name): expected \(key.expectation) without a zero byte")
            return
        }
        values[key.name] = value
    }

    private mutating func readSection(_ value: Node, _ name: String, _ line: Int?) {
        if let mapping = value.mapping {
            read(mapping, below: name)
        } else if !Self.isNull(value) {
            let key = keys.map(\.name).first { $0.hasPrefix(name + ".") }
            addProblem(line, "\(name): expected a map with keys such as \(key ?? name)")
        }
    }

    /// Returns a suggestion: a key of similar spelling at the same depth, else a key of the same last part elsewhere.
    private func hint(for name: String) -> String {
        let parts = name.split(separator: ".")
        let names = keys.map(\.name)
        let peers = names.map { $0.split(separator: ".").prefix(parts.count) }
            .filter { $0.count == parts.count }
            .map { $0.joined(separator: ".") }
        let meant =
            Suggestions.close(to: name, among: Set(peers)).first
            ?? names.first { $0.split(separator: ".").last?.lowercased() == parts.last?.lowercased() }
        return meant.map { "; did you mean \($0)?" } ?? ""
    }

    private mutating func addProblem(_ line: Int?, _ message: String) {
        problems.append(ConfigurationProblem(location: .init(source: path, line: line), message: message))
    }
}
