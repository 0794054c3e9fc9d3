// What tests compare is made of the protocol's values: JSON, pictures, patches.
@_exported public import ViewModelProtocol
