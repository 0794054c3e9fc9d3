import ViewModelContract
import ViewModelProtocol

extension ClientGenerator {
    /// The generator of Python clients.
    static let python = ClientGenerator(
        language: "python",
        title: "Python",
        names: PythonClient.names
    ) { contract in
        [File(suffix: ".py", text: PythonClient.text(of: contract, version: Release.version))]
    }
}
