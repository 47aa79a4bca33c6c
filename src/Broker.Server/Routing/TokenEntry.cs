using Broker.Protocol.Subjects;

namespace Broker.Server.Routing;

/// <summary>
/// What a node holds under a token: another node, or something whose name goes on from there and that nothing else shares
/// the token with. So there are about as many nodes as there are branches, and no token is kept twice.
/// </summary>
internal abstract class TokenEntry(byte[] bytes)
{
    /// <summary>The whole name, or of a node its token.</summary>
    internal readonly byte[] Bytes = bytes;

    /// <summary>
    /// Where in <see cref="Bytes"/> the token begins that it is held under. The owner's, under its lock; what is held in another way
    /// may use it otherwise.
    /// </summary>
    internal int Place;

    /// <summary>The token that begins at <paramref name="start"/>.</summary>
    internal static ReadOnlySpan<byte> TokenAt(ReadOnlySpan<byte> name, int start)
    {
        ReadOnlySpan<byte> rest = name[start..];
        int end = rest.IndexOf(Subject.Separator);
        return end < 0 ? rest : rest[..end];
    }

    /// <summary>Whether it is held under that token.</summary>
    internal bool Is(ReadOnlySpan<byte> token)
    {
        ReadOnlySpan<byte> rest = Bytes.AsSpan(Place);
        return rest.Length == token.Length
            ? rest.SequenceEqual(token)
            : rest.Length > token.Length && rest[token.Length] == Subject.Separator && rest[..token.Length].SequenceEqual(token);
    }
}
