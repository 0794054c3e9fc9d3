import ArgumentParser
import CEmbeddedFiles

/// A shell that completes the words of `viewmodelctl`, and the script for it.
///
/// The scripts run `viewmodelctl --complete`. It prints `files` if the shell should complete the name of a file, and then
/// the characters of the word before that name. Otherwise it prints `words` and a candidate on each line. A candidate for
/// bash or zsh ends with a blank if the word is complete. No script evaluates a word.
enum CompletionScript: String, ExpressibleByArgument, CaseIterable {
    case bash, zsh, fish

    var text: String { String(cString: embeddedText(commandTexts(), "completion.\(rawValue)")) }
}
