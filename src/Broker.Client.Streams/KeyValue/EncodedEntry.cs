namespace Broker.Client.Streams;

/// <summary>A revision of a key with a value of a type.</summary>
public sealed class EncodedEntry<T>
{
    private readonly IMessageEncoder _encoder;

    internal EncodedEntry(BucketEntry entry, IMessageEncoder encoder)
    {
        Entry = entry;
        _encoder = encoder;
    }

    /// <summary>The revision with its bytes.</summary>
    public BucketEntry Entry { get; }

    /// <inheritdoc cref="BucketEntry.Key"/>
    public string Key => Entry.Key;

    /// <inheritdoc cref="BucketEntry.Revision"/>
    public ulong Revision => Entry.Revision;

    /// <inheritdoc cref="BucketEntry.IsDeleted"/>
    public bool IsDeleted => Entry.IsDeleted;

    /// <summary>The value. Each call decodes it, so keep it in a variable.</summary>
    /// <exception cref="FormatException">The bytes are not a value of the type. The text names the key and the
    /// revision.</exception>
    /// <exception cref="InvalidOperationException">This is a marker of a deleted key, which has no value.</exception>
    /// <exception cref="NotSupportedException">The encoder does not support the type.</exception>
    public T Value => IsDeleted ? throw NoValue() : Decode();

    /// <inheritdoc cref="BucketEntry.ToString"/>
    public override string ToString() => Entry.ToString();

    private T Decode()
    {
        try
        {
            return _encoder.Decode<T>(Entry.Value.Span);
        }
        catch (FormatException e)
        {
            throw new FormatException($"The value of {Entry} is not a {typeof(T).Name}: {e.Message}", e);
        }
    }

    private InvalidOperationException NoValue() => new($"{Entry} has no value, because the key was deleted: check IsDeleted.");
}
