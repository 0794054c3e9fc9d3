// The methods are made of JSON-RPC's values: whoever speaks the protocol needs both.
@_exported public import JSONRPC
