using System.Text;

namespace Broker.Bridge;

/// <summary>
/// Converts ZeroMQ topics, which may contain any bytes, to NATS subjects and back, and ZeroMQ prefixes to subject
/// filters.
/// </summary>
/// <remarks>
/// <para>
/// The delimiter separates a topic into tokens. In a token, the bytes <c>A-Z a-z 0-9 _ -</c> are written unchanged and
/// every other byte as <c>=HH</c> in upper-case hexadecimal digits. An empty token is written as <c>=</c>. No token is
/// written as an empty text, and only the empty token is written as <c>=</c>, so every topic has its own subject. The
/// empty topic is a single empty token, <c>zmq.=</c>.
/// </para>
/// <para>
/// If the subject of a topic would be longer than <see cref="MaxSubjectLength"/>, it contains only the first complete
/// tokens and a last token <c>==</c> with 32 hexadecimal digits: half of the SHA-256 hash of the topic. No other token
/// begins with <c>==</c>. Filters never contain more tokens than a hashed subject keeps, so prefixes find hashed topics
/// as well.
/// </para>
/// <para>Immutable and thread-safe. A codec keeps no references to the caller's memory and allocates only in its
/// constructor.</para>
/// </remarks>
public sealed partial class TopicCodec
{
    /// <summary>
    /// The largest permitted <see cref="MappingOptions.MaxSubjectLength"/>: a quarter of the 4,096 bytes of a protocol
    /// line.
    /// </summary>
    public const int MaxSubjectLengthLimit = 1024;

    private const int HashBytes = 16;
    private const int HashTokenLength = 2 + (2 * HashBytes);

    private readonly byte[] _prefixDot;
    private readonly ByteKind[] _kinds;
    private readonly byte _delimiter;
    private readonly byte? _singleFrameDelimiter;
    private readonly int _maxSingleFrameTopic;
    private readonly int _hashRoom;

    /// <summary>Creates a codec with these options.</summary>
    /// <exception cref="ArgumentException">
    /// The prefix is not a valid subject, or a length is out of its range.
    /// </exception>
    public TopicCodec(MappingOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        if (!IsLiteralSubject(options.Prefix))
        {
            throw new ArgumentException(
                $"'{options.Prefix}' is not a valid prefix: it must be a subject of printable ASCII without wildcards.",
                nameof(options));
        }

        int least = options.Prefix.Length + 1 + HashTokenLength;
        if (options.MaxSubjectLength < least || options.MaxSubjectLength > MaxSubjectLengthLimit)
        {
            throw new ArgumentException(
                $"MaxSubjectLength must be from {least} (for this prefix) to {MaxSubjectLengthLimit}.",
                nameof(options));
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

    /// <summary>The largest length of a subject or filter that this codec writes, in bytes.</summary>
    public int MaxSubjectLength { get; }

    /// <summary>The prefix without a dot at the end.</summary>
    internal ReadOnlySpan<byte> Prefix => _prefixDot.AsSpan(0, _prefixDot.Length - 1);

    /// <summary>
    /// Returns the part of a single-frame message that is its topic: the bytes before the single-frame delimiter, up to
    /// the maximum.
    /// </summary>
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
        if (string.IsNullOrEmpty(text) || text[0] == '.' || text[^1] == '.'
            || text.Contains("..", StringComparison.Ordinal))
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
