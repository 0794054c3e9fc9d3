// The methods use JSON-RPC's types, so that every importer needs both modules.
@_exported public import JSONRPC
