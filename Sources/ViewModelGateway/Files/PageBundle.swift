/// The scripts and styles of a page, each in one file whose name changes with its text.
///
/// A browser then needs one round trip for them at the first load, and none later.
struct PageBundle {
    /// The page, which names the bundles.
    private(set) var page: String
    /// The bundles by their names.
    private(set) var files: [String: String] = [:]

    /// Makes the bundles of a page from the files by their names.
    init(_ page: String, _ texts: [String: String]) {
        self.page = page
        for beginning in [#"<link rel="stylesheet" href=""#, #"<script type="module" src=""#] {
            for range in page.ranges(of: beginning) {
                let path = page[range.upperBound...].prefix { $0 != "\"" }
                let file = String(path.split(separator: "/").last ?? "")
                let text = file.hasSuffix(".js") ? Self.script(file, texts) : texts[file] ?? ""
                let dot = file.lastIndex(of: ".") ?? file.endIndex
                let name = "\(file[..<dot])-\(PageFolder.digest(text).prefix(12))\(file[dot...])"
                self.page.replace("\"\(path)\"", with: "\"\(path.dropLast(file.count))\(name)\"")
                files[name] = text
            }
        }
    }

    /// What may stand between `export` and a name.
    private static let keywords: Set = ["async", "class", "const", "function"]

    /// Joins a module and those that it imports.
    ///
    /// Each imported one becomes a function that returns its exports. The modules have their imports and exports at the
    /// beginning of a line, and do not import each other in a circle.
    static func script(_ entry: String, _ texts: [String: String]) -> String {
        var (joined, known) = ("", Set<String>())
        func object(_ module: String) -> String { "$" + module.map { $0.isLetter ? $0 : "_" } }
        func add(_ module: String) {
            guard known.insert(module).inserted else { return }
            var (body, exports) = ("", [String]())
            for line in (texts[module] ?? "").split(separator: "\n", omittingEmptySubsequences: false) {
                let isExport = line.hasPrefix("export ")
                let quoted = line.split(separator: "\"")
                if line.hasPrefix("import {") || line.hasPrefix("export {"), quoted.count > 1 {
                    let names = String(line.drop { $0 != "{" }.dropFirst().prefix { $0 != "}" })
                    let imported = String(quoted[1].dropFirst("./".count))
                    add(imported)
                    body += "const {\(names.replacing(" as ", with: ": "))} = \(object(imported));"
                    if isExport { exports.append(names) }
                } else if isExport {
                    let declaration = line.dropFirst("export ".count)
                    let words = declaration.split { !$0.isLetter && !$0.isNumber && !"$_".contains($0) }
                    if let name = words.lazy.map(String.init).first(where: { !keywords.contains($0) }) {
                        exports.append(name)
                    }
                    body += declaration
                } else {
                    body += line
                }
                body += "\n"
            }
            let result = exports.joined(separator: ", ")
            joined +=
                module == entry ? body : "const \(object(module)) = (() => {\n\(body)return { \(result) };\n})();\n"
        }
        add(entry)
        return joined
    }
}
