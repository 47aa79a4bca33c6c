using System.Text;

namespace Broker.Client.Streams;

/// <summary>A revision of a key: a value, or a marker that the key was deleted.</summary>
public sealed class BucketEntry
{
    internal BucketEntry(string bucket, string key, ulong revision, DateTimeOffset created, ReadOnlyMemory<byte> headers, ReadOnlyMemory<byte> value)
    {
        Bucket = bucket;
        Key = key;
        Revision = revision;
        Created = created;
        Headers = headers;
        Value = value;
        Operation = EntryHeaders.OperationOf(headers.Span);
    }

    /// <summary>The name of the bucket.</summary>
    public string Bucket { get; }

    /// <summary>The key.</summary>
    public string Key { get; }

    /// <summary>
    /// The value. Empty for a marker, and if only keys were asked for. The array belongs to this object.
    /// </summary>
    public ReadOnlyMemory<byte> Value { get; }

    /// <summary>The value as UTF-8 text. Each call creates a new string.</summary>
    public string Text => Encoding.UTF8.GetString(Value.Span);

    /// <summary>
    /// The revision of the key. Revisions of a bucket increase with each write of any key, from 1 on.
    /// </summary>
    public ulong Revision { get; }

    /// <summary>When the revision was stored.</summary>
    public DateTimeOffset Created { get; }

    /// <summary>Whether this is a value or a marker.</summary>
    public BucketOperation Operation { get; }

    /// <summary>The header block. Empty for none.</summary>
    public ReadOnlyMemory<byte> Headers { get; }

    /// <summary>Whether this is a marker that the key was deleted, not a value.</summary>
    public bool IsDeleted => Operation != BucketOperation.Put;

    /// <summary>Returns the key, the revision and the operation, for logs.</summary>
    public override string ToString() => $"{Bucket}/{Key} revision {Revision}: {Operation}, {Value.Length} bytes";
}
