using System.Buffers;

namespace Broker.Client.Streams;

/// <summary>The names of buckets and keys, and what they are in streams and subjects.</summary>
internal static class BucketNames
{
    private const string StreamPrefix = "KV_";
    private const string LettersAndDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

    private static readonly SearchValues<char> OfNames = SearchValues.Create(LettersAndDigits + "-_");
    private static readonly SearchValues<char> OfKeys = SearchValues.Create(LettersAndDigits + "-_/=.");
    private static readonly SearchValues<char> OfFilters = SearchValues.Create(LettersAndDigits + "-_/=.*>");

    /// <summary>Returns the name of a bucket's stream. The name of a stream is returned as it is.</summary>
    internal static string StreamOf(string bucket) => IsStream(bucket) ? bucket : StreamPrefix + bucket;

    internal static bool IsStream(string stream) => stream.StartsWith(StreamPrefix, StringComparison.Ordinal);

    /// <summary>Returns the name of the bucket of a stream.</summary>
    internal static string BucketOf(string stream) => IsStream(stream) ? stream[StreamPrefix.Length..] : stream;

    /// <summary>Returns the beginning of the subjects of a bucket, with a dot at the end.</summary>
    internal static string SubjectsOf(string bucket) => $"$KV.{bucket}.";

    /// <exception cref="ArgumentException">The name of the bucket is not valid.</exception>
    internal static void Require(string bucket, string parameter)
    {
        ArgumentNullException.ThrowIfNull(bucket, parameter);
        if (bucket.Length is 0 or > 128 || bucket.AsSpan().ContainsAnyExcept(OfNames))
        {
            throw new ArgumentException(
                $"'{bucket}' is not a valid name of a bucket: it must have 1 to 128 characters, which are letters and digits of ASCII, '-' and '_'.", parameter);
        }
    }

    /// <exception cref="ArgumentException">The key is not valid.</exception>
    internal static void RequireKey(string key, string parameter)
    {
        ArgumentNullException.ThrowIfNull(key, parameter);
        if (key.AsSpan().ContainsAnyExcept(OfKeys) || HasEmptyToken(key))
        {
            throw new ArgumentException(
                $"'{key}' is not a valid key: it must consist of letters and digits of ASCII, '-', '_', '/' and '=', in non-empty tokens separated by dots.",
                parameter);
        }
    }

    /// <exception cref="ArgumentException">The filter of keys is not valid.</exception>
    internal static void RequireFilter(string filter, string parameter)
    {
        ArgumentNullException.ThrowIfNull(filter, parameter);
        if (filter.AsSpan().ContainsAnyExcept(OfFilters) || HasEmptyToken(filter) || !HasWholeWildcards(filter))
        {
            throw new ArgumentException(
                $"'{filter}' is not a valid filter of keys: it must be a key in which whole tokens may be '*', and the last one may be '>'.", parameter);
        }
    }

    private static bool HasEmptyToken(string key)
        => key.Length == 0 || key[0] == '.' || key[^1] == '.' || key.Contains("..", StringComparison.Ordinal);

    private static bool HasWholeWildcards(string filter)
    {
        foreach (Range range in filter.AsSpan().Split('.'))
        {
            ReadOnlySpan<char> token = filter.AsSpan()[range];
            bool isLast = range.End.GetOffset(filter.Length) == filter.Length;
            if (token.ContainsAny('*', '>') && (token.Length != 1 || (token[0] == '>' && !isLast)))
            {
                return false;
            }
        }

        return true;
    }
}
