namespace Broker.Client.Streams;

/// <summary>An element of a watch: a revision, or once the signal that the initial set is complete.</summary>
/// <param name="Entry">The revision. Null for the signal.</param>
public readonly record struct BucketUpdate(BucketEntry? Entry)
{
    /// <summary>
    /// Whether this is the signal that everything that was stored when the watch began has been returned. It comes
    /// once, also if nothing was stored. Updates follow.
    /// </summary>
    public bool IsInitialSetComplete => Entry is null;
}
