namespace Broker.Client.Streams;

public sealed partial class StreamsClient
{
    /// <summary>
    /// Creates an object store. It has no effect if the store exists with the same options.
    /// </summary>
    /// <param name="options">The name and the options.</param>
    /// <param name="cancellationToken">Ends the wait. The server may create the store nevertheless.</param>
    /// <exception cref="ObjectStoreException">The store exists with other options.</exception>
    /// <exception cref="StreamException">The server refused the options.</exception>
    /// <exception cref="ArgumentException">An option is not valid.</exception>
    /// <example><code>
    /// ObjectStore store = await streams.CreateObjectStoreAsync(new ObjectStoreOptions("reports"));
    /// await using var file = File.OpenRead("report.pdf");
    /// await store.PutAsync("report.pdf", file);
    /// </code></example>
    public Task<ObjectStore> CreateObjectStoreAsync(ObjectStoreOptions options, CancellationToken cancellationToken = default)
        => _objects.CreateAsync(options, orUpdate: false, cancellationToken);

    /// <summary>Creates an object store with default options.</summary>
    /// <param name="name">The name: letters, digits, <c>-</c> and <c>_</c> of ASCII.</param>
    /// <inheritdoc cref="CreateObjectStoreAsync(ObjectStoreOptions, CancellationToken)"/>
    /// <param name="cancellationToken">Ends the wait. The server may create the store nevertheless.</param>
    public Task<ObjectStore> CreateObjectStoreAsync(string name, CancellationToken cancellationToken = default)
        => CreateObjectStoreAsync(new ObjectStoreOptions(name), cancellationToken);

    /// <summary>Creates an object store, or changes the options of the store of this name.</summary>
    /// <param name="options">The name and all options.</param>
    /// <param name="cancellationToken">Ends the wait. The server may do it nevertheless.</param>
    /// <exception cref="StreamException">The server refused the options.</exception>
    /// <exception cref="ArgumentException">An option is not valid.</exception>
    public Task<ObjectStore> CreateOrUpdateObjectStoreAsync(ObjectStoreOptions options, CancellationToken cancellationToken = default)
        => _objects.CreateAsync(options, orUpdate: true, cancellationToken);

    /// <summary>Returns an object store.</summary>
    /// <param name="name">The name of the store.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="NoObjectStoreException">There is no such store.</exception>
    public async Task<ObjectStore> GetObjectStoreAsync(string name, CancellationToken cancellationToken = default)
        => await _objects.FindAsync(name, cancellationToken).ConfigureAwait(false) ?? throw new NoObjectStoreException(name, null);

    /// <summary>Returns an object store, or null if there is none.</summary>
    /// <param name="name">The name of the store.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    public Task<ObjectStore?> FindObjectStoreAsync(string name, CancellationToken cancellationToken = default) => _objects.FindAsync(name, cancellationToken);

    /// <summary>Deletes an object store with its objects.</summary>
    /// <param name="name">The name of the store.</param>
    /// <param name="cancellationToken">Ends the wait. The server may delete the store nevertheless.</param>
    /// <returns>False if there was no such store.</returns>
    public Task<bool> DeleteObjectStoreAsync(string name, CancellationToken cancellationToken = default) => _objects.DeleteAsync(name, cancellationToken);

    /// <summary>Lists the object stores of the account with their options and contents.</summary>
    /// <param name="cancellationToken">Ends the list.</param>
    public IAsyncEnumerable<ObjectStoreStatus> ListObjectStoresAsync(CancellationToken cancellationToken = default) => _objects.ListAsync(cancellationToken);

    /// <summary>Lists the names of the object stores of the account.</summary>
    /// <param name="cancellationToken">Ends the list.</param>
    public IAsyncEnumerable<string> ListObjectStoreNamesAsync(CancellationToken cancellationToken = default) => _objects.ListNamesAsync(cancellationToken);
}
