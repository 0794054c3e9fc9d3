@_spi(PluginMessage) import SwiftCompilerPluginMessageHandling
import SwiftSyntaxMacros

/// The program with the macros.
///
/// The compiler starts it, and exchanges messages with it on standard input and output. `CompilerPlugin`, which usually does
/// this, is not in the compiler's own copy of swift-syntax.
@main
struct Plugin: PluginProvider {
    private let macros: [any Macro.Type] = [
        ViewModelMacro.self, ViewModelMemberMacro.self, MarkerMacro.self, SchemableMacro.self, FailureMacro.self,
        SharedModelMacro.self,
    ]

    func resolveMacro(moduleName: String, typeName: String) throws -> any Macro.Type {
        let name = "\(moduleName).\(typeName)"
        guard let macro = macros.first(where: { String(reflecting: $0) == name }) else {
            throw MacroExpansionErrorMessage("the plugin has no macro \(name)")
        }
        return macro
    }

    static func main() throws {
        try CompilerPluginMessageListener(connection: StandardIOMessageConnection(), provider: Self()).main()
    }
}
