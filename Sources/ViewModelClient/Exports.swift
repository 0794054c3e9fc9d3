// Whoever calls a method needs its types.
@_exported public import ViewModelProtocol
