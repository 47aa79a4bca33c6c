using Broker.Protocol;

namespace Broker.Server;

/// <summary>
/// An entry of a trie: a node for a token that several names share, or else the only subscription or route with the
/// token. So there are about as many nodes as branches, and each token is stored once.
/// </summary>
internal abstract class TokenEntry(byte[] bytes)
{
    /// <summary>The whole filter or subject; for a node, its token or a filter that contains the token.</summary>
    internal readonly byte[] Bytes = bytes;

    /// <summary>
    /// The position in <see cref="Bytes"/> of the token under which the entry is stored. The container of the entry
    /// owns this field, under its lock. A container that is not a <see cref="TokenTable"/> may store another number in
    /// the field.
    /// </summary>
    internal int Position;

    /// <summary>Returns the token that begins at <paramref name="start"/>.</summary>
    internal static ReadOnlySpan<byte> TokenAt(ReadOnlySpan<byte> name, int start)
    {
        ReadOnlySpan<byte> rest = name[start..];
        int end = rest.IndexOf(Subject.Separator);
        return end < 0 ? rest : rest[..end];
    }

    /// <summary>Whether the entry is stored under this token.</summary>
    internal bool Is(ReadOnlySpan<byte> token)
    {
        ReadOnlySpan<byte> rest = Bytes.AsSpan(Position);
        return rest.Length == token.Length
            ? rest.SequenceEqual(token)
            : rest.Length > token.Length && rest[token.Length] == Subject.Separator && rest[..token.Length].SequenceEqual(token);
    }
}
