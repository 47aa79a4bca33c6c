namespace Broker.Client.Streams;

/// <summary>How an object is put, and what its description says.</summary>
public sealed record PutObjectOptions
{
    /// <summary>The default of <see cref="ChunkSize"/>: 128 KiB.</summary>
    public const int DefaultChunkSize = 128 * 1024;

    internal static readonly PutObjectOptions Default = new();

    /// <summary>A description for people. Null for none.</summary>
    public string? Description { get; init; }

    /// <summary>Headers of the object, as of a message. Null for none.</summary>
    public IReadOnlyDictionary<string, IReadOnlyList<string>>? Headers { get; init; }

    /// <summary>Names and values for programs. Null for none.</summary>
    public IReadOnlyDictionary<string, string>? Metadata { get; init; }

    /// <summary>
    /// The size of the messages that the content is divided into, in bytes. Null, the default, for
    /// <see cref="DefaultChunkSize"/>, or for less if the server permits no message of this size.
    /// </summary>
    public int? ChunkSize { get; init; }

    internal void Validate()
    {
        if (ChunkSize <= 0)
        {
            throw new ArgumentOutOfRangeException(nameof(ChunkSize), ChunkSize, "ChunkSize must be positive.");
        }
    }
}
