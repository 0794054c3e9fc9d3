// swift-tools-version: 6.2
import PackageDescription

// Generated Swift clients, as a user of the package builds them. Run the tests after a build of the whole package:
//
//     VIEWMODELD_PROGRAMS=.build/debug swift test --package-path Tests/Clients/swift
let package = Package(
    name: "swift-client",
    dependencies: [
        // A package of your own names a release: .package(url: "…/viewmodeld", from: "1.0.0").
        .package(name: "viewmodeld", path: "../../..")
    ],
    targets: [
        // The client of `viewmodeld --lab`, which the plugin writes from `lab.contract.json`.
        .target(
            name: "LabClient",
            dependencies: [.product(name: "ViewModelClient", package: "viewmodeld")],
            plugins: [.plugin(name: "ViewModelClientPlugin", package: "viewmodeld")]
        ),
        // The client of a contract with every name that makes trouble. It must compile.
        .target(
            name: "AdversarialClient",
            dependencies: [.product(name: "ViewModelClient", package: "viewmodeld")],
            plugins: [.plugin(name: "ViewModelClientPlugin", package: "viewmodeld")]
        ),
        // A program with a user interface in the terminal.
        .executableTarget(name: "Desk", dependencies: ["LabClient"]),
        .testTarget(name: "SwiftClientTests", dependencies: ["LabClient", "AdversarialClient"]),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        .treatAllWarnings(as: .error),
    ]
}
