package import ViewModelContract

/// A generator of typed clients for one language.
///
/// The same contract gives the same bytes.
package struct ClientGenerator: Sendable {
    /// A file of a generated client.
    package struct File: Equatable, Sendable {
        /// The end of the file's name: `.py`, `.js`, `.d.ts`.
        package let suffix: String
        package let text: String

        /// Creates a file.
        package init(suffix: String, text: String) {
            self.suffix = suffix
            self.text = text
        }
    }

    /// The name of the language, as on the command line.
    package let language: String
    /// Returns the files of the client, the most important first.
    package let files: @Sendable (Contract) -> [File]

    /// The name of the language, for people.
    let title: String
    /// Returns the names in the client, by which programs use it.
    package let names: @Sendable (Contract) -> GeneratedNames

    /// Creates a generator.
    init(
        language: String,
        title: String,
        names: @escaping @Sendable (Contract) -> GeneratedNames,
        files: @escaping @Sendable (Contract) -> [File]
    ) {
        self.language = language
        self.title = title
        self.names = { names($0.withNamedParameters) }
        self.files = { files($0.withNamedParameters) }
    }

    /// The generators of all languages.
    package static let all: [ClientGenerator] = [.python, .typescript, .javascript, .swift]
}
