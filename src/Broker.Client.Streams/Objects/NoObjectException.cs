namespace Broker.Client.Streams;

/// <summary>An object store has no object of this name.</summary>
public sealed class NoObjectException : ObjectStoreException
{
    internal NoObjectException(string store, string name)
        : base(store, $"The object store '{store}' has no object '{name}': it was never put, or it was deleted.") => Name = name;

    /// <summary>The name of the object.</summary>
    public string Name { get; }
}
