import SwiftCompilerPlugin
import SwiftSyntaxMacros
import ViewModelExpansion

// The compiler looks for each macro in the module of the plugin. The expansions are in a library, because tests that
// import a plugin are built for the compiler's host, and everything that they import once more.

final class ViewModelMacro: ViewModelExpansion.ViewModelMacro {}
final class PolicyMacro: ViewModelExpansion.PolicyMacro {}
final class VolatileMacro: ViewModelExpansion.VolatileMacro {}
final class SchemableMacro: ViewModelExpansion.SchemableMacro {}
final class BoundsMacro: ViewModelExpansion.BoundsMacro {}
final class CellMacro: ViewModelExpansion.CellMacro {}
final class EventMacro: ViewModelExpansion.EventMacro {}
final class ShortMemberMacro: ViewModelExpansion.ShortMemberMacro {}
final class FailureMacro: ViewModelExpansion.FailureMacro {}
final class RetryableMacro: ViewModelExpansion.RetryableMacro {}
final class SharedModelMacro: ViewModelExpansion.SharedModelMacro {}

@main
struct Plugin: CompilerPlugin {
    let providingMacros: [any Macro.Type] = [
        ViewModelMacro.self, PolicyMacro.self, VolatileMacro.self, SchemableMacro.self, BoundsMacro.self,
        CellMacro.self, EventMacro.self, ShortMemberMacro.self,
        FailureMacro.self, RetryableMacro.self, SharedModelMacro.self,
    ]
}
