// swift-tools-version: 6.2
import CompilerPluginSupport
import Foundation
import PackageDescription

// The macros use the compiler's own copy of swift-syntax, beside the Swift library that runs this manifest. From source,
// swift-syntax takes a quarter of the first build and a third of an author's, and each ViewModel waits longer for its macros,
// because SwiftPM does not optimise it. The trait PackageSwiftSyntax is for packages that compile it anyway: the compiler
// finds their modules first.
func swiftSyntaxFolder() -> String {
    let library = "linux/libswiftCore.so"
    let maps = FileHandle(forReadingAtPath: "/proc/self/maps")?.readDataToEndOfFile() ?? Data()
    for line in String(decoding: maps, as: UTF8.self).split(separator: "\n") where line.hasSuffix(library) {
        let folder = line.drop { $0 != "/" }.dropLast(library.count) + "host"
        if FileManager.default.fileExists(atPath: "\(folder)/SwiftSyntax.swiftmodule") { return String(folder) }
    }
    fatalError("this Swift has no swift-syntax in lib/swift/host; install a toolchain from swift.org")
}
let swiftSyntax = swiftSyntaxFolder()
let importsSwiftSyntax: [SwiftSetting] = [.unsafeFlags(["-I", swiftSyntax], .when(traits: ["CompilerSwiftSyntax"]))]
let linksSwiftSyntax: [LinkerSetting] = [
    .unsafeFlags(
        ["-L", swiftSyntax, "-Xlinker", "-rpath", "-Xlinker", swiftSyntax],
        .when(traits: ["CompilerSwiftSyntax"])
    )
]

// The executables export no symbols. This saves 5 MB of symbol table, and a millisecond at start.
let programLinking: [LinkerSetting] = [
    .unsafeFlags(["-Xlinker", "--no-export-dynamic"], .when(platforms: [.linux], configuration: .release))
]

let package = Package(
    name: "viewmodeld",
    products: [
        .executable(name: "viewmodeld", targets: ["viewmodeld"]),
        .executable(name: "viewmodelctl", targets: ["viewmodelctl"]),
        .executable(name: "viewmodel-gateway", targets: ["viewmodel-gateway"]),
        .library(name: "ViewModelKit", targets: ["ViewModelKit"]),
        .library(name: "ViewModelDaemon", targets: ["ViewModelDaemon"]),
        .library(name: "ViewModelServer", targets: ["ViewModelServer"]),
        .library(name: "ViewModelStore", targets: ["ViewModelStore"]),
        .library(name: "ViewModelClient", targets: ["ViewModelClient"]),
        .plugin(name: "ViewModelClientPlugin", targets: ["ViewModelClientPlugin"]),
        .library(name: "ViewModelMetrics", targets: ["ViewModelMetrics"]),
        .library(name: "ViewModelTesting", targets: ["ViewModelTesting"]),
        .library(name: "Accounts", targets: ["Accounts"]),
        .library(name: "AccountsFeature", targets: ["AccountsFeature"]),
        .library(name: "AccountsTesting", targets: ["AccountsTesting"]),
        .library(name: "SharedStoreFeature", targets: ["SharedStoreFeature"]),
        .library(name: "MockFeature", targets: ["MockFeature"]),
        .library(name: "RecordFeature", targets: ["RecordFeature"]),
        .library(name: "Systemd", targets: ["Systemd"]),
    ],
    traits: [
        .default(enabledTraits: ["CompilerSwiftSyntax"]),
        .trait(name: "CompilerSwiftSyntax", description: "The macros use the compiler's own copy of swift-syntax."),
        .trait(
            name: "PackageSwiftSyntax",
            description: "The macros use the package swift-syntax, as the macros of other packages do."
        ),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.0"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swiftlang/swift-syntax", from: "603.0.0"),
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.0"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
        .package(url: "https://github.com/vapor/jwt-kit", from: "5.7.0"),
        .package(url: "https://github.com/onevcat/Rainbow", from: "4.2.0"),
    ],
    targets: [
        // Helpers for the tests of several targets. Not a product.
        .target(
            name: "TestSupport",
            dependencies: [
                "JSONRPC",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            path: "Tests/TestSupport"
        ),

        // Tables of what clients send and receive, and the ViewModels in them, for tests with and without sockets.
        .target(
            name: "Scenarios",
            dependencies: [
                "JSONRPC", "TestSupport", "ViewModelHost", "ViewModelKit", "ViewModelProtocol", "ViewModelTesting",
            ],
            path: "Tests/Scenarios",
            resources: [.copy("Tables")]
        ),

        // Descriptors, output files, addresses of sockets and the arguments of the process, for all programs.
        .target(name: "CUnixIO"),
        .target(name: "UnixIO", dependencies: ["CUnixIO"]),
        .testTarget(name: "UnixIOTests", dependencies: ["TestSupport", "UnixIO"]),
        // Paths on the command lines of all programs.
        .target(
            name: "PathArguments",
            dependencies: ["UnixIO", .product(name: "ArgumentParser", package: "swift-argument-parser")]
        ),

        // SHA-256, HMAC and hexadecimal digits. Not optimised, they would take a third of the time of the tests of the host.
        .target(name: "Digests", swiftSettings: [.unsafeFlags(["-O"], .when(configuration: .debug))]),
        .testTarget(name: "DigestsTests", dependencies: ["Digests"]),

        // The values on the wire: JSON text, messages, framings. No I/O.
        .target(name: "JSONRPC", dependencies: [.product(name: "OrderedCollections", package: "swift-collections")]),
        .testTarget(
            name: "JSONRPCTests",
            dependencies: ["JSONRPC", "TestSupport"],
            resources: [.copy("Vectors")]
        ),

        // The patterns of JSON Schema. The macros and the host read them.
        .target(name: "TextPatterns"),
        .testTarget(
            name: "TextPatternsTests",
            dependencies: ["JSONRPC", "TextPatterns"],
            resources: [.copy("Vectors")]
        ),

        // The library and the macros for authors of ViewModels.
        .macro(
            name: "ViewModelMacros",
            dependencies: ["TextPatterns"]
                + [
                    "SwiftCompilerPlugin", "SwiftDiagnostics", "SwiftParser", "SwiftSyntax", "SwiftSyntaxBuilder",
                    "SwiftSyntaxMacros",
                ].map { .product(name: $0, package: "swift-syntax", condition: .when(traits: ["PackageSwiftSyntax"])) },
            swiftSettings: importsSwiftSyntax,
            linkerSettings: linksSwiftSyntax
        ),
        // The macros as a library, for their tests. If a test depended on a macro, SwiftPM would build all tests as tools of the
        // build. It would compile each module that they use once more.
        .target(
            name: "MacroLibrary",
            dependencies: ["TextPatterns"],
            path: "Tests/MacroLibrary",
            exclude: ["Plugin.swift"],
            swiftSettings: importsSwiftSyntax,
            linkerSettings: linksSwiftSyntax
        ),
        .testTarget(
            name: "ViewModelMacrosTests",
            dependencies: ["MacroLibrary"],
            swiftSettings: importsSwiftSyntax
        ),
        .target(
            name: "ViewModelKit",
            dependencies: [
                "CUnixIO", "Digests", "JSONRPC", "ViewModelContract", "ViewModelMacros",
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .testTarget(
            name: "ViewModelKitTests",
            dependencies: [
                "JSONRPC", "Scenarios", "TestSupport", "ViewModelContract", "ViewModelHost", "ViewModelKit",
                "ViewModelProtocol", "ViewModelTesting", "ViewModelTranscript",
                .product(name: "Logging", package: "swift-log"),
            ]
        ),

        // The typed methods of the protocol.
        .target(
            name: "ViewModelProtocol",
            dependencies: ["JSONRPC", .product(name: "DequeModule", package: "swift-collections")]
        ),
        .testTarget(
            name: "ViewModelProtocolTests",
            dependencies: ["ViewModelProtocol"],
            resources: [.copy("Vectors")]
        ),

        // A contract as a value: read from a document, its canonical form and its hash.
        .target(
            name: "ViewModelContract",
            dependencies: ["Digests", "JSONRPC", "TextPatterns", "ViewModelProtocol"]
        ),
        .testTarget(
            name: "ViewModelContractTests",
            dependencies: [
                "ClientGenerators", "JSONRPC", "TestSupport", "ViewModelContract", "ViewModelYAML",
            ]
        ),

        // The texts that are parts of programs. They are in C because Swift takes a minute for them.
        .target(name: "CEmbeddedFiles"),

        // Typed clients of a contract, and what a new contract means for them.
        .target(
            name: "ClientGenerators",
            dependencies: ["CEmbeddedFiles", "JSONRPC", "ViewModelContract", "ViewModelProtocol"],
            exclude: ["Runtimes", "Templates"]
        ),

        // Contract files in YAML or JSON. The tool of the plugin reads JSON only, so that its users do not build Yams.
        .target(
            name: "ViewModelYAML",
            dependencies: [
                "JSONRPC", "ViewModelContract", "ViewModelProtocol", .product(name: "Yams", package: "Yams"),
            ]
        ),

        // Transcripts: the format, the recorder, the replay.
        .target(
            name: "ViewModelTranscript",
            dependencies: [
                "Digests", "JSONRPC", "UnixIO", "ViewModelContract", "ViewModelProtocol",
            ]
        ),
        .testTarget(
            name: "ViewModelTranscriptTests",
            dependencies: [
                "JSONRPC", "TestSupport", "ViewModelContract", "ViewModelTranscript",
            ]
        ),

        // The runtime: sessions, instances, bindings, frames.
        .target(
            name: "ViewModelHost",
            dependencies: [
                "CUnixIO", "Digests", "UnixIO", "ViewModelContract", "ViewModelKit", "ViewModelProtocol",
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .testTarget(
            name: "ViewModelHostTests",
            dependencies: [
                "Scenarios", "TestSupport", "ViewModelHost", "ViewModelKit", "ViewModelMetrics", "ViewModelProtocol",
                "ViewModelTesting",
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),

        // What a store keeps, in whatever database.
        .target(
            name: "ViewModelStorage",
            dependencies: [
                "Digests", "UnixIO", "ViewModelHost", "ViewModelKit",
                .product(name: "Logging", package: "swift-log"),
            ]
        ),

        // The checks that every store has to pass.
        .target(
            name: "StorageChecks",
            dependencies: [
                "Accounts", "Digests", "TestSupport", "ViewModelHost", "ViewModelKit", "ViewModelProtocol",
                "ViewModelStorage", "ViewModelTesting",
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Tests/StorageChecks"
        ),

        // Persistence: the SQLite database.
        .target(
            name: "ViewModelStore",
            dependencies: [
                "UnixIO", "ViewModelHost", "ViewModelStorage",
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .testTarget(
            name: "ViewModelStoreTests",
            dependencies: [
                "Accounts", "StorageChecks", "TestSupport", "UnixIO", "ViewModelHost", "ViewModelKit",
                "ViewModelStorage", "ViewModelStore", "ViewModelTesting",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),

        // The same for machines that share a store: PostgreSQL through libpq, which is loaded when it is needed.
        .target(name: "CPostgres"),
        .target(
            name: "ViewModelPostgres",
            dependencies: [
                "CPostgres", "Digests", "UnixIO", "ViewModelHost", "ViewModelProtocol", "ViewModelStorage",
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .testTarget(
            name: "ViewModelPostgresTests",
            dependencies: [
                "Accounts", "PostgresSupport", "StorageChecks", "TestSupport", "ViewModelHost", "ViewModelPostgres",
                "ViewModelProtocol", "ViewModelStorage", "ViewModelTesting",
                .product(name: "Logging", package: "swift-log"),
            ]
        ),

        // A PostgreSQL server for tests, and the store of tests that hold for every store.
        .target(
            name: "PostgresSupport",
            dependencies: [
                "ViewModelPostgres", "ViewModelStorage", "ViewModelStore",
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Tests/PostgresSupport"
        ),

        // The socket server.
        .target(
            name: "ViewModelServer",
            dependencies: [
                "ViewModelHost", "ViewModelKit", "ViewModelProtocol", "JSONRPC", "UnixIO",
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]
        ),

        .testTarget(
            name: "ViewModelServerTests",
            dependencies: [
                "JSONRPC", "Scenarios", "TestSupport", "ViewModelClient", "ViewModelHost", "ViewModelKit",
                "ViewModelProtocol", "ViewModelServer", "ViewModelTesting",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]
        ),

        // The client library.
        .target(
            name: "ViewModelClient",
            dependencies: [
                "ViewModelProtocol", "JSONRPC", "UnixIO",
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ]
        ),
        .testTarget(
            name: "ViewModelClientTests",
            dependencies: [
                "TestSupport", "ViewModelClient", "ViewModelProtocol",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ]
        ),

        // The plugin that writes a Swift client of a contract file while a package is built. Its tool depends on no command
        // line, so that users of the plugin build neither swift-argument-parser nor a server.
        .executableTarget(
            name: "viewmodel-client-generator",
            dependencies: ["ClientGenerators", "UnixIO", "ViewModelContract"]
        ),
        .plugin(
            name: "ViewModelClientPlugin",
            capability: .buildTool(),
            dependencies: ["viewmodel-client-generator"]
        ),

        // The test kit for authors.
        .target(
            name: "ViewModelTesting",
            dependencies: [
                "ClientGenerators", "UnixIO", "ViewModelContract", "ViewModelKit", "ViewModelHost", "ViewModelProtocol",
                "ViewModelTranscript",
                .product(name: "InMemoryLogging", package: "swift-log"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),

        // Accounts of users: in the store, behind a JSON API or with an OAuth provider.
        .target(
            name: "Accounts",
            dependencies: [
                "Digests", "UnixIO", "ViewModelKit", "ViewModelProtocol", "ViewModelStorage",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "OrderedCollections", package: "swift-collections"),
            ]
        ),
        .testTarget(
            name: "AccountsTests",
            dependencies: [
                "Accounts", "AccountsTesting", "PostgresSupport", "TestSupport", "ViewModelHost", "ViewModelKit",
                "ViewModelProtocol", "ViewModelStorage", "ViewModelTesting",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            resources: [.copy("Certificates")]
        ),

        // Accounts without a backend, for tests of ViewModels.
        .target(
            name: "AccountsTesting",
            dependencies: [
                "Accounts", "ViewModelKit", "ViewModelStorage", "ViewModelStore",
                .product(name: "Logging", package: "swift-log"),
            ]
        ),

        // The ViewModels that ship with the daemon.
        .target(name: "ReferenceViewModels", dependencies: ["Accounts", "ViewModelKit", "ViewModelProtocol"]),
        .testTarget(
            name: "ReferenceViewModelsTests",
            dependencies: [
                "Accounts", "ReferenceViewModels", "TestSupport", "ViewModelKit", "ViewModelStore", "ViewModelTesting",
                .product(name: "Logging", package: "swift-log"),
            ],
            resources: [.copy("Vectors")]
        ),

        // The daemon's configuration and its log.
        .target(
            name: "ViewModelConfiguration",
            dependencies: [
                "CUnixIO", "JSONRPC", "PathArguments", "UnixIO", "ViewModelHost", "ViewModelKit", "ViewModelProtocol",
                "ViewModelYAML",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Yams", package: "Yams"),
            ]
        ),
        .testTarget(
            name: "ViewModelConfigurationTests",
            dependencies: [
                "AccountsFeature", "TestSupport", "ViewModelConfiguration", "ViewModelDaemon", "ViewModelHost",
                "ViewModelProtocol", "viewmodeld",
                .product(name: "Logging", package: "swift-log"),
            ]
        ),

        // The interface to the service manager.
        .target(
            name: "Systemd",
            dependencies: [
                "UnixIO",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]
        ),
        .testTarget(
            name: "SystemdTests",
            dependencies: [
                "Systemd", "TestSupport",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]
        ),

        // The daemon's metrics.
        .target(
            name: "ViewModelMetrics",
            dependencies: ["ViewModelKit", .product(name: "CoreMetrics", package: "swift-metrics")]
        ),
        .testTarget(
            name: "ViewModelMetricsTests",
            dependencies: [
                "ViewModelKit", "ViewModelMetrics", "ViewModelTesting",
                .product(name: "CoreMetrics", package: "swift-metrics"),
            ]
        ),

        // The core of a daemon: everything that each one has beside its ViewModels.
        .target(
            name: "ViewModelDaemon",
            dependencies: [
                "JSONRPC", "PathArguments", "Systemd", "UnixIO", "ViewModelConfiguration", "ViewModelHost",
                "ViewModelKit", "ViewModelMetrics", "ViewModelServer", "ViewModelStorage", "ViewModelStore",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ]
        ),

        // The features of daemons, which a `main` names.
        .target(
            name: "AccountsFeature",
            dependencies: [
                "Accounts", "PathArguments", "UnixIO", "ViewModelConfiguration", "ViewModelDaemon", "ViewModelHost",
                "ViewModelKit", "ViewModelStorage", "ViewModelStore",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .target(
            name: "SharedStoreFeature",
            dependencies: [
                "JSONRPC", "UnixIO", "ViewModelConfiguration", "ViewModelDaemon", "ViewModelHost", "ViewModelKit",
                "ViewModelPostgres", "ViewModelStorage", "ViewModelStore",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .target(
            name: "MockFeature",
            dependencies: [
                "JSONRPC", "PathArguments", "TextPatterns", "ViewModelConfiguration", "ViewModelContract",
                "ViewModelDaemon", "ViewModelKit", "ViewModelProtocol", "ViewModelYAML",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .target(
            name: "RecordFeature",
            dependencies: [
                "PathArguments", "ViewModelConfiguration", "ViewModelDaemon", "ViewModelHost", "ViewModelServer",
                "ViewModelTranscript",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),

        // The daemon.
        .executableTarget(
            name: "viewmodeld",
            dependencies: [
                "AccountsFeature", "MockFeature", "RecordFeature", "ReferenceViewModels", "SharedStoreFeature",
                "ViewModelConfiguration", "ViewModelDaemon", "ViewModelKit", "ViewModelProtocol",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            linkerSettings: programLinking
        ),
        // A daemon of another name and with ViewModels of its own. Not a product.
        .executableTarget(
            name: "tallyd",
            dependencies: [
                "Accounts", "AccountsFeature", "MockFeature", "RecordFeature", "SharedStoreFeature", "ViewModelDaemon",
                "ViewModelKit",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            path: "Tests/TallyDaemon"
        ),
        .testTarget(
            name: "DaemonTests",
            dependencies: [
                "PostgresSupport", "TestSupport", "ViewModelProtocol", "ViewModelTesting", "ViewModelTranscript",
                "tallyd", "viewmodeld", "viewmodelctl",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "Subprocess", package: "swift-subprocess"),
                .product(name: "SystemPackage", package: "swift-system"),
            ]
        ),

        // A daemon with a long list, for the benchmark. Not a product.
        .executableTarget(
            name: "viewmodeld-episodes",
            dependencies: [
                "ViewModelKit", "ViewModelServer",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            path: "Benchmarks/Episodes",
            linkerSettings: programLinking
        ),

        // The command-line client.
        .target(
            name: "ViewModelCommands",
            dependencies: [
                "CEmbeddedFiles", "CUnixIO", "JSONRPC", "PathArguments", "UnixIO", "ViewModelClient",
                "ViewModelContract",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Rainbow", package: "Rainbow"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            exclude: ["Texts"]
        ),
        // The verbs for developers, which an operator does not need.
        .target(
            name: "ViewModelDeveloperCommands",
            dependencies: [
                "CEmbeddedFiles", "ClientGenerators", "JSONRPC", "PathArguments", "UnixIO", "ViewModelClient",
                "ViewModelCommands", "ViewModelContract", "ViewModelTranscript", "ViewModelYAML",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "Rainbow", package: "Rainbow"),
            ],
            exclude: ["Texts"]
        ),
        .testTarget(
            name: "ViewModelCommandsTests",
            dependencies: [
                "TestSupport", "UnixIO", "ViewModelClient", "ViewModelCommands", "ViewModelContract",
                "ViewModelDeveloperCommands", "ViewModelProtocol",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]
        ),
        .executableTarget(
            name: "viewmodelctl",
            dependencies: ["UnixIO", "ViewModelCommands", "ViewModelDeveloperCommands"],
            linkerSettings: programLinking
        ),

        // The gateway for browsers, a client of the daemon's socket.
        .target(
            name: "ViewModelGateway",
            dependencies: [
                "Accounts", "CEmbeddedFiles", "ClientGenerators", "Digests", "JSONRPC", "PathArguments", "Systemd",
                "UnixIO", "ViewModelClient", "ViewModelConfiguration", "ViewModelHost", "ViewModelKit",
                "ViewModelProtocol", "ViewModelServer",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "JWTKit", package: "jwt-kit"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTPCompression", package: "swift-nio-extras"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            exclude: ["Page"]
        ),
        .testTarget(
            name: "ViewModelGatewayTests",
            dependencies: [
                "JSONRPC", "Systemd", "TestSupport", "ViewModelConfiguration", "ViewModelGateway",
                "ViewModelProtocol",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ]
        ),
        .executableTarget(
            name: "viewmodel-gateway",
            dependencies: ["ViewModelGateway"],
            linkerSettings: programLinking
        ),

        // What fuzzing runs: `.ci/fuzz` with random inputs, the tests with the corpus.
        .target(
            name: "FuzzTargets",
            dependencies: [
                "Accounts", "JSONRPC", "ReferenceViewModels", "ViewModelConfiguration", "ViewModelHost", "ViewModelKit",
                "ViewModelProtocol", "ViewModelStore", "ViewModelTesting",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ],
            path: "Tests/FuzzTargets"
        ),
        .testTarget(name: "FuzzTargetsTests", dependencies: ["FuzzTargets"]),
    ],
    swiftLanguageModes: [.v6]
)

// `.ci/fuzz` sets this variable. libFuzzer needs instrumented code, which other executables cannot link.
let fuzzing = Context.environment["VIEWMODELD_FUZZ"] != nil
if fuzzing {
    package.targets.append(
        .executableTarget(
            name: "viewmodeld-fuzz",
            dependencies: ["FuzzTargets"],
            path: "Tests/Fuzz",
            exclude: ["Corpus"],
            linkerSettings: [.unsafeFlags(["-sanitize=fuzzer", "-sanitize=address", "-use-ld=lld"])]
        )
    )
}

// `.ci/sanitize` sets this variable to the test targets that it runs, so that SwiftPM builds no others.
if let tests = Context.environment["VIEWMODELD_TESTS"]?.split(separator: " ").map(String.init) {
    package.targets.removeAll { $0.type == .test && !tests.contains($0.name) }
}

// A plugin and a library of the system have no settings.
for target in package.targets where target.type != .plugin && target.type != .system {
    target.swiftSettings =
        (target.swiftSettings ?? []) + [
            .enableUpcomingFeature("ExistentialAny"),  // SE-0335
            .enableUpcomingFeature("MemberImportVisibility"),  // SE-0444
            .enableUpcomingFeature("InternalImportsByDefault"),  // SE-0409
            .enableUpcomingFeature("InferIsolatedConformances"),  // SE-0470
            .enableUpcomingFeature("NonisolatedNonsendingByDefault"),  // SE-0461
            .treatAllWarnings(as: .error),  // SE-0443
            // Swift 6.3.1 loses the hop back to the caller's executor if an async call throws. docs/design.md describes the
            // defect and when this flag can be removed.
            .unsafeFlags(["-Xllvm", "-sil-disable-pass=optimize-hop-to-executor"]),
            // Tests use internal declarations of the modules that ship, which are compiled once. This adds 1 % to the
            // programs, and less than 1 % of instructions to each measured path.
            .unsafeFlags(["-enable-testing"], .when(configuration: .release)),
        ]

    // `.ci/soak` sets this variable to test the daemon without `GlobalExecutor`, as a newer compiler builds it.
    if target.name == "ViewModelDaemon", Context.environment["VIEWMODELD_DEFAULT_EXECUTOR"] != nil {
        target.swiftSettings?.append(.define("DEFAULT_EXECUTOR"))
    }
    // `.ci/sanitize` sets this variable to a sanitizer. A sanitizer changes the code of a module and not its interface. So
    // what imports the module is not compiled again: the tests stay as they are, and so do the libraries of others. If the
    // macros or `TextPatterns`, which they use, changed, all ViewModels would be compiled again.
    if let sanitizer = Context.environment["VIEWMODELD_SANITIZE"] {
        let isTest = target.type == .test || target.path?.hasPrefix("Tests/") == true
        if !isTest, target.type != .macro, target.name != "TextPatterns" {
            target.swiftSettings?.append(.unsafeFlags(["-sanitize=\(sanitizer)"]))
            target.cSettings = [.unsafeFlags(["-fsanitize=\(sanitizer)"])]
        }
        target.linkerSettings = (target.linkerSettings ?? []) + [.unsafeFlags(["-sanitize=\(sanitizer)"])]
    }
    if fuzzing, target.type == .macro {
        // The macros use `TextPatterns`, which are instrumented, too.
        target.linkerSettings?.append(.unsafeFlags(["-sanitize=address"]))
    }
    if fuzzing, target.type == .regular || target.type == .executable {
        // libFuzzer no longer supports the coverage counters that the compiler selects by default.
        target.swiftSettings?.append(
            .unsafeFlags([
                "-parse-as-library", "-sanitize=fuzzer", "-sanitize=address",
                "-sanitize-coverage=edge,inline-8bit-counters,pc-table,trace-cmp",
            ])
        )
    }
}
