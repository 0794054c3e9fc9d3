// Tests compare values of the protocol: JSON, pictures, patches.
@_exported public import ViewModelProtocol
