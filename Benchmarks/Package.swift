// swift-tools-version: 6.2
import PackageDescription

// A package of its own: who builds or uses the daemon does not build the benchmark. It needs the programs, not the modules.
let package = Package(
    name: "viewmodeld-benchmarks",
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/ordo-one/TextTable", from: "0.0.2"),
    ],
    targets: [
        // In C: the least that a server on a Unix socket has to do.
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
