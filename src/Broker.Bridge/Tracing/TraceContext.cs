using System.Buffers;
using System.Text;
using Broker.Protocol;

namespace Broker.Bridge;

/// <summary>Reads and writes the header <c>traceparent</c> of W3C's Trace Context, a text of fixed length.</summary>
internal static class TraceContext
{
    /// <summary>
    /// The length of 00-&lt;32 digits&gt;-&lt;16 digits&gt;-&lt;2 digits&gt;. Later versions begin in the same way and
    /// may be longer.
    /// </summary>
    internal const int Length = 55;

    /// <summary>The most bytes that <see cref="AddTo"/> adds to a header block.</summary>
    internal const int HeaderBytes = 80;

    private static readonly SearchValues<byte> HexDigits = SearchValues.Create("0123456789abcdef"u8);

    internal static ReadOnlySpan<byte> HeaderName => "traceparent"u8;

    /// <summary>The beginning of the traceparent line in a header block.</summary>
    internal static ReadOnlySpan<byte> LineStart => "traceparent: "u8;

    private static ReadOnlySpan<byte> VersionLine => "NATS/1.0\r\n"u8;

    /// <summary>
    /// Returns the trace context in a header block; empty if there is none or it is not valid. The result refers to the
    /// block.
    /// </summary>
    internal static ReadOnlySpan<byte> Find(ReadOnlySpan<byte> headers)
        => !headers.IsEmpty && HeaderBlock.TryGet(headers, HeaderName, out ReadOnlySpan<byte> value) && IsContext(value)
            ? value
            : default;

    /// <summary>
    /// Writes a header block, which may be empty, and adds the trace context as one more line; returns the length.
    /// </summary>
    internal static int AddTo(ReadOnlySpan<byte> headers, ReadOnlySpan<byte> context, Span<byte> destination)
    {
        // The new line goes before the empty line at the end.
        ReadOnlySpan<byte> others = headers.IsEmpty ? VersionLine : headers[..^2];
        others.CopyTo(destination);
        int at = others.Length;
        LineStart.CopyTo(destination[at..]);
        at += LineStart.Length;
        context.CopyTo(destination[at..]);
        at += context.Length;
        "\r\n\r\n"u8.CopyTo(destination[at..]);
        return at + 4;
    }

    /// <summary>
    /// Writes the id of a span and returns the written bytes; returns an empty span if the id has another format.
    /// </summary>
    internal static ReadOnlySpan<byte> Write(string? id, Span<byte> destination)
        => id is { Length: Length } ? destination[..Encoding.ASCII.GetBytes(id, destination)] : default;

    internal static bool IsContext(ReadOnlySpan<byte> text)
        => text.Length == Length && text[2] == '-' && text[35] == '-' && text[52] == '-'
        && IsHex(text[..2]) && !text.StartsWith("ff"u8)
        && IsHex(text[3..35]) && text[3..35].ContainsAnyExcept((byte)'0')
        && IsHex(text[36..52]) && text[36..52].ContainsAnyExcept((byte)'0')
        && IsHex(text[53..]);

    private static bool IsHex(ReadOnlySpan<byte> text) => !text.ContainsAnyExcept(HexDigits);
}
