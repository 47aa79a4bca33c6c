using System.Buffers.Text;
using System.Text;
using Broker.Protocol;

namespace Broker.Client.Streams;

/// <summary>Writes the header block of a message with <see cref="StreamPublishOptions"/>.</summary>
internal static class PublishHeaders
{
    private const int NumberLength = 20;
    private const int NamesLength = 192;

    private static ReadOnlySpan<byte> LineEnd => "\r\n"u8;

    /// <summary>Returns an upper limit of the length of the block.</summary>
    internal static int MaxLength(in StreamPublishOptions options, int headers)
        => headers + NamesLength + (3 * NumberLength) + Max(options.MessageId) + Max(options.ExpectedStream) + Max(options.ExpectedLastMessageId);

    /// <summary>Writes the block and returns its length.</summary>
    /// <param name="destination">The destination, of at least <see cref="MaxLength"/>.</param>
    /// <param name="options">The options.</param>
    /// <param name="headers">The message's own header block. Empty for none.</param>
    internal static int Write(Span<byte> destination, in StreamPublishOptions options, ReadOnlySpan<byte> headers)
    {
        // The caller's block ends with an empty line. It is left out here and comes after the added lines.
        ReadOnlySpan<byte> lines = headers.IsEmpty ? default : headers[..^LineEnd.Length];
        int at = 0;
        Add(destination, ref at, lines.IsEmpty ? HeaderBlock.Version : lines);
        if (lines.IsEmpty)
        {
            Add(destination, ref at, LineEnd);
        }

        Add(destination, ref at, "Nats-Msg-Id: "u8, options.MessageId);
        Add(destination, ref at, "Nats-Expected-Stream: "u8, options.ExpectedStream);
        Add(destination, ref at, "Nats-Expected-Last-Msg-Id: "u8, options.ExpectedLastMessageId);
        Add(destination, ref at, "Nats-Expected-Last-Sequence: "u8, options.ExpectedLastSequence);
        Add(destination, ref at, "Nats-Expected-Last-Subject-Sequence: "u8, options.ExpectedLastSubjectSequence);
        Add(destination, ref at, "Nats-TTL: "u8, options.TimeToLive is { } ttl ? (ulong)ttl.Ticks / TimeSpan.TicksPerSecond : null);
        Add(destination, ref at, LineEnd);
        return at;
    }

    /// <exception cref="ArgumentException">A value cannot be sent.</exception>
    internal static void Validate(in StreamPublishOptions options)
    {
        RequireLine(options.MessageId, nameof(options.MessageId));
        RequireLine(options.ExpectedStream, nameof(options.ExpectedStream));
        RequireLine(options.ExpectedLastMessageId, nameof(options.ExpectedLastMessageId));
        if (options.TimeToLive is { } ttl && (ttl < TimeSpan.FromSeconds(1) || ttl.Ticks % TimeSpan.TicksPerSecond != 0))
        {
            throw new ArgumentOutOfRangeException(nameof(options), ttl, "TimeToLive must be a whole number of seconds, at least 1.");
        }
    }

    private static int Max(string? value) => value is null ? 0 : Encoding.UTF8.GetMaxByteCount(value.Length);

    private static void RequireLine(string? value, string option)
    {
        if (value is not null && (value.Length == 0 || value.AsSpan().ContainsAny('\r', '\n')))
        {
            throw new ArgumentException($"{option} must be a text without line ends and not empty.", nameof(option));
        }
    }

    private static void Add(Span<byte> destination, ref int at, ReadOnlySpan<byte> text)
    {
        text.CopyTo(destination[at..]);
        at += text.Length;
    }

    private static void Add(Span<byte> destination, ref int at, ReadOnlySpan<byte> name, string? value)
    {
        if (value is not null)
        {
            Add(destination, ref at, name);
            at += Encoding.UTF8.GetBytes(value, destination[at..]);
            Add(destination, ref at, LineEnd);
        }
    }

    private static void Add(Span<byte> destination, ref int at, ReadOnlySpan<byte> name, ulong? value)
    {
        if (value is { } number)
        {
            Add(destination, ref at, name);
            Utf8Formatter.TryFormat(number, destination[at..], out int length);
            at += length;
            Add(destination, ref at, LineEnd);
        }
    }
}
