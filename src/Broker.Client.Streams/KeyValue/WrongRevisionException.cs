using System.Globalization;

namespace Broker.Client.Streams;

/// <summary>A key was not written, because its last revision is not the expected one.</summary>
public sealed class WrongRevisionException : BucketException
{
    internal WrongRevisionException(string bucket, string key, ulong expected, ulong? actual, Exception inner)
        : base(bucket, Describe(bucket, key, expected, actual), inner)
    {
        Key = key;
        ExpectedRevision = expected;
        ActualRevision = actual;
    }

    /// <summary>The key.</summary>
    public string Key { get; }

    /// <summary>The revision that the caller expected. 0 if the key was to be created.</summary>
    public ulong ExpectedRevision { get; }

    /// <summary>The last revision of the key. Null if the server did not send it.</summary>
    public ulong? ActualRevision { get; }

    private static string Describe(string bucket, string key, ulong expected, ulong? actual)
    {
        string last = actual is { } revision ? string.Create(CultureInfo.InvariantCulture, $"the last revision is {revision}") : "the last revision is another one";
        return expected == 0
            ? $"The key '{key}' of the bucket '{bucket}' exists already: {last}. Use PutAsync to replace its value, or UpdateAsync with its revision."
            : $"The key '{key}' of the bucket '{bucket}' was not changed: the revision {expected} was expected, but {last}. Another program has written meanwhile: read the key and try again.";
    }
}
