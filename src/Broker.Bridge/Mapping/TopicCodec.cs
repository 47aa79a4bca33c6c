using System.Text;

namespace Broker.Bridge.Mapping;

/// <summary>Writes ZeroMQ topics (any bytes) as NATS subjects, reads them back, and turns ZeroMQ prefixes into subject filters.</summary>
/// <remarks>
/// <para>
/// A topic is cut into tokens at the delimiter. In a token the bytes <c>A-Z a-z 0-9 _ -</c> stand for themselves and
/// every other byte is <c>=HH</c> in upper-case hexadecimal; an empty token is a lone <c>=</c>. As no token encodes to
/// nothing and none but the empty one to a lone <c>=</c>, every topic has one subject and no two share it; the empty
/// topic is a single empty token, <c>zmq.=</c>.
/// </para>
/// <para>
/// A topic whose subject would be longer than <see cref="MaxSubjectLength"/> keeps the whole tokens that leave room
/// for a last token <c>==</c> plus 32 hexadecimal digits: half of the SHA-256 of the topic. No topic encodes to
/// <c>==</c>. Filters never name more tokens than a hashed subject keeps, so prefixes find hashed topics as well.
/// </para>
/// <para>Immutable; any thread. Keeps no caller's memory and allocates nothing after construction.</para>
/// </remarks>
public sealed partial class TopicCodec
{
    /// <summary>The highest <see cref="MappingOptions.MaxSubjectLength"/>: a quarter of the 4096-byte control line.</summary>
    public const int MaxSubjectLengthLimit = 1024;

    private const int HashBytes = 16;
    private const int HashTokenLength = 2 + (2 * HashBytes);

    private readonly byte[] _prefixDot;
    private readonly ByteKind[] _kinds;
    private readonly byte _delimiter;
    private readonly byte? _singleFrameDelimiter;
    private readonly int _maxSingleFrameTopic;
    private readonly int _hashRoom;

    /// <summary>Prepares the tables.</summary>
    /// <exception cref="ArgumentException">The prefix is no literal subject, or a length is out of its range.</exception>
    public TopicCodec(MappingOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        if (!IsLiteralSubject(options.Prefix))
        {
            throw new ArgumentException($"'{options.Prefix}' is no literal subject.", nameof(options));
        }

        int least = options.Prefix.Length + 1 + HashTokenLength;
        if (options.MaxSubjectLength < least || options.MaxSubjectLength > MaxSubjectLengthLimit)
        {
            throw new ArgumentException($"MaxSubjectLength must be from {least} (for this prefix) to {MaxSubjectLengthLimit}.", nameof(options));
        }

        ArgumentOutOfRangeException.ThrowIfNegative(options.MaxSingleFrameTopic, nameof(options));

        _prefixDot = Encoding.ASCII.GetBytes(options.Prefix + ".");
        _delimiter = options.TopicDelimiter;
        _kinds = Classify(_delimiter);
        _singleFrameDelimiter = options.SingleFrameDelimiter;
        _maxSingleFrameTopic = options.MaxSingleFrameTopic;
        MaxSubjectLength = options.MaxSubjectLength;
        _hashRoom = MaxSubjectLength - 1 - HashTokenLength;
    }

    private enum ByteKind : byte
    {
        Escaped,
        Literal,
        Delimiter,
    }

    /// <summary>Longest subject or filter this codec writes, in bytes.</summary>
    public int MaxSubjectLength { get; }

    /// <summary>The prefix without a final dot.</summary>
    internal ReadOnlySpan<byte> Prefix => _prefixDot.AsSpan(0, _prefixDot.Length - 1);

    /// <summary>The part of a message of one frame that counts as its topic: up to the single-frame delimiter, or the maximum.</summary>
    public ReadOnlySpan<byte> SingleFrameTopic(ReadOnlySpan<byte> frame)
    {
        if (frame.Length > _maxSingleFrameTopic)
        {
            frame = frame[.._maxSingleFrameTopic];
        }

        int end = _singleFrameDelimiter is { } delimiter ? frame.IndexOf(delimiter) : -1;
        return end < 0 ? frame : frame[..end];
    }

    private static ByteKind[] Classify(byte delimiter)
    {
        var kinds = new ByteKind[256];
        for (int b = 0; b < kinds.Length; b++)
        {
            if (char.IsAsciiLetterOrDigit((char)b) || b is '_' or '-')
            {
                kinds[b] = ByteKind.Literal;
            }
        }

        kinds[delimiter] = ByteKind.Delimiter;
        return kinds;
    }

    private static bool IsLiteralSubject(string? text)
    {
        if (string.IsNullOrEmpty(text) || text[0] == '.' || text[^1] == '.' || text.Contains("..", StringComparison.Ordinal))
        {
            return false;
        }

        foreach (char c in text)
        {
            if (c is <= ' ' or > '~' or '*' or '>')
            {
                return false;
            }
        }

        return true;
    }
}
