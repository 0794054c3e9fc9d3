// The plugin writes the client into this target. A user of the target needs the runtime, too.
@_exported public import ViewModelClient
