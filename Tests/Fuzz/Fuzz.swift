import FuzzTargets
import Glibc

/// Runs libFuzzer on the target that the environment variable `FUZZ_TARGET` names.
@main
struct Fuzz {
    /// The chosen target.
    static let target: FuzzTarget = {
        let name = getenv("FUZZ_TARGET").map { String(cString: $0) } ?? ""
        guard let target = fuzzTargets[name] else {
            fatalError("FUZZ_TARGET is '\(name)', not one of \(fuzzTargets.keys.sorted())")
        }
        return target
    }()

    static func main() {
        _ = target
        var (argc, argv) = (CommandLine.argc, CommandLine.unsafeArgv)
        exit(runDriver(&argc, &argv, testOneInput))
    }
}

/// Runs the chosen target on one input.
@_cdecl("LLVMFuzzerTestOneInput")
func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    Fuzz.target(UnsafeRawBufferPointer(start: start, count: count))
    return 0
}

// SwiftPM names the program's `main` after its module, so libFuzzer's own `main` is not linked.
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ argc: UnsafeMutablePointer<CInt>,
    _ argv: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ callback: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt
