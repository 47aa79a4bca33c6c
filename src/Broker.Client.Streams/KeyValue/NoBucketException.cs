namespace Broker.Client.Streams;

/// <summary>There is no bucket of this name.</summary>
public sealed class NoBucketException : BucketException
{
    internal NoBucketException(string bucket, Exception? inner)
        : base(
            bucket,
            $"There is no bucket '{bucket}'. Create it with CreateBucketAsync, or check its name, the account and the domain (StreamsOptions.Domain).",
            inner)
    {
        Status = 404;
        Code = StreamErrorCode.StreamNotFound;
    }
}
