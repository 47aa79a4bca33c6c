namespace Broker.Client.Streams;

/// <summary>A request about a key-value bucket failed. The text names the bucket and what to do.</summary>
public class BucketException : StreamException
{
    /// <summary>Creates the exception with a complete text.</summary>
    /// <param name="bucket">The name of the bucket.</param>
    /// <param name="message">The text.</param>
    /// <param name="inner">The cause. Null for none.</param>
    public BucketException(string bucket, string message, Exception? inner = null)
        : base(message, inner)
    {
        ArgumentNullException.ThrowIfNull(bucket);
        Bucket = bucket;
        Stream = BucketNames.StreamOf(bucket);
        if (inner is StreamException cause)
        {
            Status = cause.Status;
            Code = cause.Code;
            Description = cause.Description;
        }
    }

    /// <summary>The name of the bucket.</summary>
    public string Bucket { get; }
}
