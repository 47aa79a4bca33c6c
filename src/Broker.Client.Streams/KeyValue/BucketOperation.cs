namespace Broker.Client.Streams;

/// <summary>The kind of a revision of a key.</summary>
public enum BucketOperation
{
    /// <summary>A value.</summary>
    Put,

    /// <summary>A marker that the key was deleted. Its earlier revisions are kept.</summary>
    Delete,

    /// <summary>A marker that the key was removed with all its revisions, by a purge or by its age.</summary>
    Purge,
}
