namespace Broker.Client.Streams;

/// <summary>A bucket has no value of a key, or not the revision that was asked for.</summary>
public sealed class NoKeyException : BucketException
{
    internal NoKeyException(string bucket, string key, ulong revision)
        : base(
            bucket,
            revision == 0
                ? $"The bucket '{bucket}' has no value of the key '{key}': it was never written, or it was deleted. FindAsync returns null in place of this error."
                : $"The bucket '{bucket}' has no value of the key '{key}' with the revision {revision}. FindAsync returns null in place of this error.")
    {
        Status = 404;
        Code = StreamErrorCode.MessageNotFound;
        Key = key;
    }

    /// <summary>The key.</summary>
    public string Key { get; }
}
