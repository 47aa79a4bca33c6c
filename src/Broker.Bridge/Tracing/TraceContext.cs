using System.Buffers;
using System.Text;
using Broker.Protocol.Headers;

namespace Broker.Bridge.Tracing;

/// <summary>The context of a trace as W3C's Trace Context has it for <c>traceparent</c>: a text of one length.</summary>
internal static class TraceContext
{
    /// <summary>00-&lt;32 digits&gt;-&lt;16 digits&gt;-&lt;2 digits&gt;; later versions begin so too, and may be longer.</summary>
    internal const int Length = 55;

    /// <summary>No more than what <see cref="AddTo"/> makes a block longer by.</summary>
    internal const int HeaderBytes = 80;

    private static readonly SearchValues<byte> HexDigits = SearchValues.Create("0123456789abcdef"u8);

    internal static ReadOnlySpan<byte> HeaderName => "traceparent"u8;

    /// <summary>The beginning of its line in a block of headers.</summary>
    internal static ReadOnlySpan<byte> LineStart => "traceparent: "u8;

    private static ReadOnlySpan<byte> VersionLine => "NATS/1.0\r\n"u8;

    /// <summary>The context in a block of headers; empty for none, or for what a receiver would not take for one. Borrowed from the block.</summary>
    internal static ReadOnlySpan<byte> Of(ReadOnlySpan<byte> headers)
        => !headers.IsEmpty && HeaderBlock.TryGet(headers, HeaderName, out ReadOnlySpan<byte> value) && IsContext(value) ? value : default;

    /// <summary>Writes a block of headers, or none, with the context as one more line; answers its length.</summary>
    internal static int AddTo(ReadOnlySpan<byte> headers, ReadOnlySpan<byte> context, Span<byte> destination)
    {
        // Before the empty line at the end.
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

    /// <summary>Writes the id of a span; nothing of one that is in another form. Answers what was written.</summary>
    internal static ReadOnlySpan<byte> Write(string? id, Span<byte> destination)
        => id is { Length: Length } ? destination[..Encoding.ASCII.GetBytes(id, destination)] : default;

    internal static bool IsContext(ReadOnlySpan<byte> text) =>
        text.Length == Length && text[2] == '-' && text[35] == '-' && text[52] == '-'
        && IsHex(text[..2]) && !text.StartsWith("ff"u8)
        && IsHex(text[3..35]) && text[3..35].ContainsAnyExcept((byte)'0')
        && IsHex(text[36..52]) && text[36..52].ContainsAnyExcept((byte)'0')
        && IsHex(text[53..]);

    private static bool IsHex(ReadOnlySpan<byte> text) => !text.ContainsAnyExcept(HexDigits);
}
