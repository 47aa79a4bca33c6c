namespace Broker.Client.Streams;

/// <summary>
/// An element of a watch: a revision with a value of a type, or once the signal that the initial set is complete.
/// </summary>
/// <param name="Entry">The revision. Null for the signal.</param>
public readonly record struct EncodedUpdate<T>(EncodedEntry<T>? Entry)
{
    /// <inheritdoc cref="BucketUpdate.IsInitialSetComplete"/>
    public bool IsInitialSetComplete => Entry is null;
}
