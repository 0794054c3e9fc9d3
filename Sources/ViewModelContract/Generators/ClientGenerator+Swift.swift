extension ClientGenerator {
    /// Swift: one file that imports `ViewModelClient`.
    static let swift = ClientGenerator(language: "swift") { contract in
        [File(suffix: ".swift", text: SwiftClientGenerator(contract).text())]
    }
}
