using System.Buffers;
using System.Text;

namespace Broker.Client.Streams;

/// <summary>The names of object stores and objects, and what they are in streams and subjects.</summary>
internal static class ObjectNames
{
    // A subject has at most a few kilobytes, and the name is a third longer in it.
    private const int MaxNameLength = 1024;
    private const string StreamPrefix = "OBJ_";

    private static readonly SearchValues<char> OfStores = SearchValues.Create("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_");

    internal static string StreamOf(string store) => StreamPrefix + store;

    internal static bool IsStream(string stream) => stream.StartsWith(StreamPrefix, StringComparison.Ordinal);

    internal static string StoreOf(string stream) => stream[StreamPrefix.Length..];

    /// <summary>Returns the subject of the chunks of an object.</summary>
    internal static string ChunksOf(string store, string id) => $"$O.{store}.C.{id}";

    internal static string AllInfosOf(string store) => $"$O.{store}.M.>";

    /// <summary>Returns the subject of the description of an object.</summary>
    internal static string InfoOf(string store, string name)
        => $"$O.{store}.M.{Convert.ToBase64String(Encoding.UTF8.GetBytes(name)).Replace('+', '-').Replace('/', '_')}";

    /// <exception cref="ArgumentException">The name of the store is not valid.</exception>
    internal static void RequireStore(string store, string parameter)
    {
        ArgumentNullException.ThrowIfNull(store, parameter);
        if (store.Length is 0 or > 128 || store.AsSpan().ContainsAnyExcept(OfStores))
        {
            throw new ArgumentException(
                $"'{store}' is not a valid name of an object store: it must have 1 to 128 characters, which are letters and digits of ASCII, '-' and '_'.",
                parameter);
        }
    }

    /// <exception cref="ArgumentException">The name of the object is not valid.</exception>
    internal static void RequireObject(string name, string parameter)
    {
        ArgumentNullException.ThrowIfNull(name, parameter);
        if (name.Length is 0 or > MaxNameLength)
        {
            throw new ArgumentException($"The name of an object must have 1 to {MaxNameLength} characters, but this one has {name.Length}.", parameter);
        }
    }
}
