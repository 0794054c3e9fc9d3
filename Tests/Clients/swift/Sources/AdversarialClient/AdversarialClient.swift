// The plugin writes the client into this target.
import ViewModelClient

/// Uses names of the client that equal keywords of Swift.
func use(_ client: ViewModelClient) -> [any RemoteViewModel] {
    [client.keywords, client.Keywords, client.string, client.empty.`class`, client.empty.init_, client.name]
}
