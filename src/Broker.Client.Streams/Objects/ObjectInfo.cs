namespace Broker.Client.Streams;

/// <summary>The description of an object.</summary>
public sealed record ObjectInfo
{
    internal ObjectInfo(string store, ObjectMeta meta, ulong revision, DateTimeOffset modified)
    {
        Store = store;
        Meta = meta;
        Revision = revision;
        Modified = modified;
        Link = meta.Options?.Link is { Bucket: { } target } link ? new ObjectLink(target, string.IsNullOrEmpty(link.Name) ? null : link.Name) : null;
    }

    /// <summary>The name of the object store.</summary>
    public string Store { get; }

    /// <summary>The name of the object.</summary>
    public string Name => Meta.Name;

    /// <summary>A description for people. Null for none.</summary>
    public string? Description => Meta.Description;

    /// <summary>The size of the content, in bytes. 0 for a link and for a deleted object.</summary>
    public long Size => Meta.Size;

    /// <summary>The number of messages that the content consists of.</summary>
    public long Chunks => Meta.Chunks;

    /// <summary>
    /// The SHA-256 digest of the content, as <c>SHA-256=</c> and URL-safe Base64. Null for a link and for a deleted
    /// object.
    /// </summary>
    public string? Digest => string.IsNullOrEmpty(Meta.Digest) ? null : Meta.Digest;

    /// <summary>When the description was stored: after the content, and at each later change.</summary>
    public DateTimeOffset Modified { get; }

    /// <summary>An id of the content. A replaced object has another one.</summary>
    public string Id => Meta.Nuid ?? "";

    /// <summary>Whether the object was deleted.</summary>
    public bool IsDeleted => Meta.Deleted;

    /// <summary>The target, if the object is a link. Otherwise null.</summary>
    public ObjectLink? Link { get; }

    /// <summary>The headers that were put with the object. Null for none.</summary>
    public IReadOnlyDictionary<string, IReadOnlyList<string>>? Headers => Meta.Headers;

    /// <summary>Names and values for programs. Null for none.</summary>
    public IReadOnlyDictionary<string, string>? Metadata => Meta.Metadata;

    /// <summary>The sequence of the description in the stream.</summary>
    internal ulong Revision { get; }

    internal ObjectMeta Meta { get; }

    /// <summary>Returns the store, the name and the size, for logs.</summary>
    public override string ToString()
        => $"{Store}/{Name}: {(IsDeleted ? "deleted" : Link is { } link ? $"link to {link.Store}/{link.Name}" : $"{Size} bytes in {Chunks} chunks")}";
}
