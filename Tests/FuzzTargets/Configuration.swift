import Glibc
import ViewModelConfiguration

/// Loads the input as a configuration file, twice; both have to give the same.
func fuzzConfiguration(_ input: UnsafeRawBufferPointer) {
    let path = "\(temporaryDirectory)/configuration-\(getpid()).yaml"
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    require(file >= 0, "\(path) cannot be written")
    let count = write(file, input.baseAddress, input.count)
    close(file)
    defer { unlink(path) }
    require(count == input.count, "\(path) cannot be written")

    let loader = ConfigurationLoader(file: path, environment: [:], isRoot: false)
    let (first, second) = (outcome(of: loader), outcome(of: loader))
    require(first == second, "\(first) is \(second) the second time")
}

private func outcome(of loader: ConfigurationLoader) -> String {
    do {
        let loaded = try loader.load()
        return "\(loaded.configuration), \(loaded.warnings)"
    } catch {
        require(!error.problems.isEmpty, "an error without a problem")
        return "\(error.problems)"
    }
}
