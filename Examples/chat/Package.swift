// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "chat",
    products: [
        .executable(name: "chatd", targets: ["chatd"])
    ],
    dependencies: [
        // A package of your own names a release: .package(url: "…/viewmodeld", from: "1.0.0").
        .package(name: "viewmodeld", path: "../.."),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
    ],
    targets: [
        // The rooms and the server that has them. No ViewModels.
        .target(
            name: "ChatModel",
            dependencies: [
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "ViewModelKit", package: "viewmodeld"),
            ]
        ),
        .testTarget(
            name: "ChatModelTests",
            dependencies: ["ChatModel", .product(name: "AsyncHTTPClient", package: "async-http-client")]
        ),
        // The ViewModels.
        .target(
            name: "Chat",
            dependencies: [
                "ChatModel",
                .product(name: "Accounts", package: "viewmodeld"),
                .product(name: "ViewModelKit", package: "viewmodeld"),
            ]
        ),
        .testTarget(
            name: "ChatTests",
            dependencies: [
                "Chat", "ChatModel",
                .product(name: "Accounts", package: "viewmodeld"),
                .product(name: "AccountsTesting", package: "viewmodeld"),
                .product(name: "ViewModelKit", package: "viewmodeld"),
                .product(name: "ViewModelTesting", package: "viewmodeld"),
            ],
            exclude: ["Fixtures"]
        ),
        // The program.
        .executableTarget(
            name: "chatd",
            dependencies: [
                "Chat", "ChatModel",
                .product(name: "AccountsFeature", package: "viewmodeld"),
                .product(name: "ViewModelDaemon", package: "viewmodeld"),
                .product(name: "ViewModelKit", package: "viewmodeld"),
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets {
    target.swiftSettings = [
        // An async function runs where its caller runs, so it may use the objects of a session.
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        // Swift 6.3.1 otherwise runs a `catch` outside of the session when an async call throws.
        .unsafeFlags(["-Xllvm", "-sil-disable-pass=optimize-hop-to-executor"]),
    ]
    // The toolchain's own linker needs half the time of the default one.
    target.linkerSettings = [.unsafeFlags(["-use-ld=lld"])]
    // Only for `.ci/soak` of this repository, which shares its release build. `swift test -c release` needs no flag.
    if Context.environment["VIEWMODELD_TESTABLE"] != nil {
        target.swiftSettings?.append(.unsafeFlags(["-enable-testing"], .when(configuration: .release)))
    }
}
