using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Security.Cryptography;

namespace Broker.Bridge;

public sealed partial class TopicCodec
{
    /// <summary>Writes the subject of <paramref name="topic"/>.</summary>
    /// <param name="topic">The topic, which may contain any bytes. It is read only during the call.</param>
    /// <param name="destination">
    /// A span of at least <see cref="MaxSubjectLength"/> bytes. The bytes after the subject are undefined.
    /// </param>
    /// <param name="hashed">
    /// Whether the topic was too long, so that the subject contains only its hash and <see cref="Decode"/> cannot
    /// return it.
    /// </param>
    /// <returns>The length of the subject in bytes.</returns>
    /// <exception cref="ArgumentException">The destination is too short.</exception>
    public int Encode(ReadOnlySpan<byte> topic, Span<byte> destination, out bool hashed)
    {
        if (destination.Length < MaxSubjectLength)
        {
            ThrowShort(nameof(destination));
        }

        int length = WriteTokens(topic, destination[..MaxSubjectLength], out int kept);
        hashed = length < 0;
        return hashed ? WriteHash(topic, destination, kept) : length;
    }

    /// <summary>
    /// Writes the narrowest filter <c>p.T.&gt;</c> that matches the subjects of all messages whose first frame starts
    /// with <paramref name="prefix"/>.
    /// </summary>
    /// <remarks>
    /// The filter also matches other subjects, so the caller must compare the first frames of the messages with the
    /// prefix. The last token of the prefix is not in the filter because the token may be incomplete: <c>a.b</c> must
    /// also find <c>a.bc</c>. The subject of a single-frame message ends at the single-frame delimiter, so the filter
    /// uses only the part of the prefix before it.
    /// </remarks>
    /// <param name="prefix">
    /// The prefix, which may contain any bytes; empty for all messages. It is read only during the call.
    /// </param>
    /// <param name="destination">A span of at least <see cref="MaxSubjectLength"/> bytes.</param>
    /// <returns>The length of the filter in bytes.</returns>
    /// <exception cref="ArgumentException">The destination is too short.</exception>
    public int LowerPrefix(ReadOnlySpan<byte> prefix, Span<byte> destination)
    {
        if (destination.Length < MaxSubjectLength)
        {
            ThrowShort(nameof(destination));
        }

        ReadOnlySpan<byte> certain = SingleFrameTopic(prefix);
        int last = certain.LastIndexOf(_delimiter);
        int stem = _prefixDot.Length - 1;
        if (last < 0)
        {
            _prefixDot.CopyTo(destination);
        }
        else
        {
            int length = WriteTokens(certain[..last], destination[..MaxSubjectLength], out stem);
            // A hashed subject contains only tokens that leave room for the hash token. A filter must not contain more
            // tokens.
            if (length >= 0 && length <= _hashRoom)
            {
                stem = length;
            }
        }

        destination[stem] = (byte)'.';
        destination[stem + 1] = (byte)'>';
        return stem + 2;
    }

    // Returns -1 if the subject would be longer than the span. 'kept' is then the end of the last complete token that
    // leaves room for a hash token, or the end of the prefix if there is no such token.
    private int WriteTokens(ReadOnlySpan<byte> topic, Span<byte> subject, out int kept)
    {
        _prefixDot.CopyTo(subject);
        int at = _prefixDot.Length;
        int token = at;
        kept = at - 1;
        foreach (byte b in topic)
        {
            ByteKind kind = _kinds[b];
            int size = kind switch { ByteKind.Literal => 1, ByteKind.Escaped => 3, _ => 2 };
            if (subject.Length - at < size)
            {
                return -1;
            }

            if (kind == ByteKind.Literal)
            {
                subject[at++] = b;
            }
            else if (kind == ByteKind.Escaped)
            {
                subject[at] = (byte)'=';
                subject[at + 1] = UpperHex(b >> 4);
                subject[at + 2] = UpperHex(b & 15);
                at += 3;
            }
            else
            {
                if (at == token)
                {
                    subject[at++] = (byte)'=';
                }

                if (at <= _hashRoom)
                {
                    kept = at;
                }

                subject[at++] = (byte)'.';
                token = at;
            }
        }

        if (at != token)
        {
            return at;
        }

        if (at >= subject.Length)
        {
            return -1;
        }

        subject[at++] = (byte)'=';
        return at;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int WriteHash(ReadOnlySpan<byte> topic, Span<byte> subject, int at)
    {
        Span<byte> hash = stackalloc byte[SHA256.HashSizeInBytes];
        SHA256.HashData(topic, hash);
        ".=="u8.CopyTo(subject[at..]);
        at += 3;
        Convert.TryToHexStringLower(hash[..HashBytes], subject[at..], out int written);
        return at + written;
    }

    private static byte UpperHex(int nibble) => (byte)(nibble + (nibble < 10 ? '0' : 'A' - 10));

    [DoesNotReturn]
    private static void ThrowShort(string parameter)
        => throw new ArgumentException("The span must have at least MaxSubjectLength bytes.", parameter);
}
