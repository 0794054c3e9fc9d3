import Foundation

@testable import ViewModelConfiguration

/// The example that ships.
enum ExampleFile {
    /// Where the example lies in the repository.
    static let url = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "config/viewmodeld.yaml")

    /// The text that the table of keys stands for.
    static func text() -> String {
        viewmodeld.exampleFile
    }

    /// A file's text where nothing is commented out any more but sentences.
    static func uncommented(_ text: String) -> String {
        text.replacing(/(?m)^( *)#(?=[^\s#])/) { $0.output.1 }
    }
}
