namespace Broker.Client.Streams;

/// <summary>A request about an object store failed. The text names the store and what to do.</summary>
public class ObjectStoreException : StreamException
{
    /// <summary>Creates the exception with a complete text.</summary>
    /// <param name="store">The name of the object store.</param>
    /// <param name="message">The text.</param>
    /// <param name="inner">The cause. Null for none.</param>
    public ObjectStoreException(string store, string message, Exception? inner = null)
        : base(message, inner)
    {
        ArgumentNullException.ThrowIfNull(store);
        Store = store;
        Stream = ObjectNames.StreamOf(store);
        if (inner is StreamException cause)
        {
            Status = cause.Status;
            Code = cause.Code;
            Description = cause.Description;
        }
    }

    /// <summary>The name of the object store.</summary>
    public string Store { get; }
}
