import Glibc

/// Takes an input, and ends the process if a rule of the target does not hold.
public typealias FuzzTarget = @Sendable (UnsafeRawBufferPointer) -> Void

/// The targets by name.
public let fuzzTargets: [String: FuzzTarget] = [
    "calculator": fuzzCalculator,
    "coder": fuzzCoder,
    "configuration": fuzzConfiguration,
    "peer": fuzzPeer,
    "envelope": fuzzEnvelope,
    "framing": fuzzFraming,
    "patch": fuzzPatch,
    "providers": fuzzProviders,
    "restoring": fuzzRestoring,
    "stored": fuzzStored,
    "text": fuzzText,
]

/// Where targets write their files: `TMPDIR`, else `/tmp`.
let temporaryDirectory = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"

/// Ends the program unless the condition holds; libFuzzer then keeps the input.
func require(_ condition: Bool, _ message: @autoclosure () -> String) {
    if !condition { fatalError(message()) }
}
