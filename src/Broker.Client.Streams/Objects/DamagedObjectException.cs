namespace Broker.Client.Streams;

/// <summary>
/// The content of an object is not what its description says: a part is missing, or the digest is another one. This
/// also happens if the object is replaced or deleted while it is read.
/// </summary>
public sealed class DamagedObjectException : ObjectStoreException
{
    internal DamagedObjectException(string store, string name, string problem)
        : base(store, $"The object '{name}' of the store '{store}' cannot be read: {problem}. If another program has just replaced the object, read it again.")
        => Name = name;

    /// <summary>The name of the object.</summary>
    public string Name { get; }
}
