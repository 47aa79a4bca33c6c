namespace Broker.Client.Streams;

/// <summary>There is no object store of this name, or it was deleted.</summary>
public sealed class NoObjectStoreException : ObjectStoreException
{
    internal NoObjectStoreException(string store, Exception? inner)
        : base(store, $"There is no object store '{store}'. Create it with CreateObjectStoreAsync, or check its name, the account and the domain.", inner)
    {
    }
}
