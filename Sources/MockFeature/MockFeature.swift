import ArgumentParser
import Logging
import PathArguments
import ViewModelContract
public import ViewModelDaemon
import ViewModelKit

extension DaemonFeature {
    /// `--mock`: the daemon hosts the ViewModels of a contract in place of its own.
    public static var mock: DaemonFeature { DaemonFeature(MockFeature()) }
}

/// The mocks of contracts.
struct MockFeature: Feature {
    func prepare(_ parts: inout DaemonParts, _ flags: MockFlags) throws {
        guard let path = flags.mock else { return }
        let mock = try MockContract(path: path.path)
        parts.findings.append("\(path): the contract can be hosted")
        parts.replacement = { logger in
            var catalog = ViewModelCatalog()
            try mock.host(in: &catalog)
            logger.notice("Hosting a mock", metadata: ["contract": "\(path.path)"])
            for fault in mock.unchecked {
                logger.warning(
                    "A pattern of the contract is not checked",
                    metadata: [
                        "line": "\(fault.line ?? 0)", "place": "\(fault.pointer)", "reason": "\(fault.message)",
                    ]
                )
            }
            return catalog
        }
    }
}

/// The flag of mocks.
struct MockFlags: ParsableArguments, Sendable {
    @Option(
        help: ArgumentHelp(
            "Host the ViewModels of a contract in place of the daemon's own. A mock keeps no state.",
            discussion: """
                The contract is a document of rpc.discover, or one written by hand, in JSON or YAML. The ViewModel mock \
                scripts what the others do.
                """,
            valueName: "contract"
        ),
        completion: .file()
    )
    var mock: PathArgument?
}
