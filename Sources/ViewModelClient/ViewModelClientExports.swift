// A caller of a method needs the method's types.
@_exported public import ViewModelProtocol
