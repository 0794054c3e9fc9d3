import SwiftSyntax

/// The text of a doc comment as paragraphs.
///
/// The lines of a paragraph are joined by spaces, and an empty line separates paragraphs. Fenced code, list items,
/// headings, quotes and tables keep their lines.
struct DocComment {
    let text: String
    let parameters: [String: String]

    /// Reads the comment before a declaration; the texts of the parameters with these names are separated from ``text``.
    init(of declaration: some DeclSyntaxProtocol & WithAttributesSyntax, parameters names: Set<String> = []) {
        let keyword = declaration.attributes.lastToken(viewMode: .sourceAccurate)?.nextToken(viewMode: .sourceAccurate)
        var lines = Self.lines(of: declaration.leadingTrivia)
        // A comment between the attributes and the keyword belongs to the keyword.
        if lines.isEmpty, let keyword { lines = Self.lines(of: keyword.leadingTrivia) }
        // The parser attaches a comment on the line of the preceding brace or semicolon to that token.
        let previous = declaration.firstToken(viewMode: .sourceAccurate)?.previousToken(viewMode: .sourceAccurate)
        if let previous, [.leftBrace, .semicolon].contains(previous.tokenKind) {
            lines = Self.lines(of: previous.trailingTrivia) + lines
        }
        var reader = ParameterTexts(names)
        text = Self.joined(names.isEmpty ? lines : reader.removed(from: lines))
        parameters = reader.found.mapValues(Self.joined)
    }

    /// Returns the lines of the last comment in a trivia.
    ///
    /// An empty line of source separates two comments.
    private static func lines(of trivia: Trivia) -> [String] {
        var lines: [String] = []
        var newlines = 0
        for piece in trivia {
            switch piece {
            case .newlines(let count), .carriageReturns(let count), .carriageReturnLineFeeds(let count):
                newlines += count
            case .docLineComment(let comment):
                if newlines > 1 { lines = [] }
                newlines = 0
                let line = comment.dropFirst(3)
                lines.append(String(line.first == " " ? line.dropFirst() : line))
            case .docBlockComment(let comment):
                if newlines > 1 { lines = [] }
                newlines = 0
                lines += block(comment)
            default: break
            }
        }
        return lines
    }

    /// Returns the lines of `/** … */` without their indentation or leading asterisks.
    private static func block(_ comment: String) -> [String] {
        var lines = comment.dropFirst(3).dropLast(2).split(
            omittingEmptySubsequences: false,
            whereSeparator: \.isNewline
        )
        let first = lines.removeFirst().drop(while: \.isWhitespace)
        let filled = lines.filter { !$0.allSatisfy(\.isWhitespace) }
        if !filled.isEmpty, filled.allSatisfy({ $0.drop(while: \.isWhitespace).first == "*" }) {
            lines = lines.map { line in
                let rest = line.drop(while: \.isWhitespace).dropFirst()
                return rest.first == " " ? rest.dropFirst() : rest
            }
        } else {
            let indentation = filled.map { $0.prefix(while: \.isWhitespace).count }.min() ?? 0
            lines = lines.map { $0.dropFirst(indentation) }
        }
        return [String(first)] + lines.map(String.init)
    }

    private static func joined(_ lines: [String]) -> String {
        var text = ""
        var fence: Substring?
        var separator = ""
        for line in lines {
            let content = line.trimming(\.isWhitespace)
            if let mark = fence {
                text += "\n" + line
                if content == mark { fence = nil }
                separator = "\n"
            } else if content.isEmpty {
                if !text.isEmpty { separator = "\n\n" }
            } else if content.hasPrefix("```") || content.hasPrefix("~~~") {
                fence = content.prefix { $0 == content.first }
                text += (separator == " " ? "\n" : separator) + line
            } else if content.contains(/^([-*+>|]|#+|\d+[.)])(\s|$)/) {
                text += (separator == " " ? "\n" : separator) + line.prefix(while: \.isWhitespace) + content
                separator = content.hasPrefix("#") || content.hasPrefix("|") ? "\n" : " "
            } else {
                text += separator + content
                separator = " "
            }
        }
        return text
    }
}

extension String {
    fileprivate func trimming(_ isUnwanted: (Character) -> Bool) -> Substring {
        let rest = drop(while: isUnwanted)
        guard let last = rest.lastIndex(where: { !isUnwanted($0) }) else { return "" }
        return rest[...last]
    }
}
