import JSONRPC
import ViewModelContract
import ViewModelKit
import ViewModelProtocol

extension ContractSchema {
    /// Checks a value.
    ///
    /// - Parameters:
    ///   - value: the value.
    ///   - components: the schemas that references name.
    ///   - pointer: the place of the value, before that of a part in an error.
    /// - Returns: The value in one spelling: an integer is written without a fraction.
    /// - Throws: `InvalidValue` for the first part that does not fit, without what was found if that may be a secret.
    @discardableResult
    func accept(
        _ value: JSONValue,
        _ components: ContractComponents,
        at pointer: String = ""
    ) throws(InvalidValue) -> JSONValue {
        do throws(ValueMismatch) {
            return try check(value, components)
        } catch {
            var refusal = InvalidValue(error)
            refusal.path = pointer + refusal.path
            throw components.hasSecrets(self) ? refusal.redacted : refusal
        }
    }
}
