// swift-tools-version: 6.2
import PackageDescription

// The benchmark is a separate package, so that a build of the daemon does not include it. It starts the daemon's
// programs and does not import its modules.
let package = Package(
    name: "viewmodeld-benchmarks",
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/ordo-one/TextTable", from: "0.0.2"),
    ],
    targets: [
        // The baseline in C: the minimum work of a server on a Unix socket.
        .target(name: "BenchFloor"),
        .target(
            name: "ViewModelBench",
            dependencies: [
                "BenchFloor",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "TextTable", package: "TextTable"),
            ]
        ),
        .testTarget(name: "ViewModelBenchTests", dependencies: ["ViewModelBench", "viewmodeld-bench"]),
        .executableTarget(
            name: "viewmodeld-bench",
            dependencies: ["ViewModelBench", .product(name: "ArgumentParser", package: "swift-argument-parser")]
        ),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),  // SE-0335
        .enableUpcomingFeature("MemberImportVisibility"),  // SE-0444
        .enableUpcomingFeature("InternalImportsByDefault"),  // SE-0409
        .treatAllWarnings(as: .error),  // SE-0443
    ]
}
