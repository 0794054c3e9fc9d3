import SwiftCompilerPlugin
import SwiftSyntaxMacros

/// The program with the macros, which the compiler starts.
@main
struct Plugin: CompilerPlugin {
    let providingMacros: [any Macro.Type] = [
        ViewModelMacro.self, PolicyMacro.self, VolatileMacro.self, SchemableMacro.self, BoundsMacro.self,
        CellMacro.self, EventMacro.self, ShortMemberMacro.self,
        FailureMacro.self, RetryableMacro.self, SharedModelMacro.self,
    ]
}
