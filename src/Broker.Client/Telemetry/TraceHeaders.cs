using System.Buffers;
using System.Diagnostics;
using System.Text;
using Broker.Protocol;

namespace Broker.Client;

/// <summary>The trace context in the headers of a message, in the format of W3C Trace Context.</summary>
internal static class TraceHeaders
{
    private static readonly SearchValues<char> OfOneLine = SearchValues.Create([.. Enumerable.Range(' ', '~' - ' ' + 1).Select(c => (char)c)]);

    private static ReadOnlySpan<byte> Parent => "traceparent"u8;

    private static ReadOnlySpan<byte> State => "tracestate"u8;

    private static ReadOnlySpan<byte> LineEnd => "\r\n"u8;

    /// <summary>
    /// Returns the header block with the context of an activity in place of an existing context. Returns null if there
    /// is nothing to write: the activity's id has another format, or the headers are not a header block. The code that
    /// sends invalid headers reports them.
    /// </summary>
    internal static byte[]? With(Activity? activity, ReadOnlySpan<byte> headers)
    {
        if (activity is not { IdFormat: ActivityIdFormat.W3C, Id: { } id } || !(headers.IsEmpty || headers.StartsWith(HeaderBlock.Version)))
        {
            return null;
        }

        string? state = activity.TraceStateString;
        if (string.IsNullOrEmpty(state) || state.AsSpan().ContainsAnyExcept(OfOneLine))
        {
            state = null;
        }

        var block = new ArrayBufferWriter<byte>(headers.Length + id.Length + (state?.Length ?? 0) + 64);
        CopyOthers(headers.IsEmpty ? "NATS/1.0\r\n\r\n"u8 : headers, block);
        Add(block, Parent, id);
        if (state is not null)
        {
            Add(block, State, state);
        }

        block.Write(LineEnd);
        return block.WrittenSpan.ToArray();
    }

    /// <summary>Reads the context of a message. Returns the default value if there is none.</summary>
    internal static ActivityContext Read(ReadOnlySpan<byte> headers)
    {
        if (headers.IsEmpty || !HeaderBlock.TryGet(headers, Parent, out ReadOnlySpan<byte> parent))
        {
            return default;
        }

        string? state = HeaderBlock.TryGet(headers, State, out ReadOnlySpan<byte> value) ? Encoding.UTF8.GetString(value) : null;
        return ActivityContext.TryParse(Encoding.UTF8.GetString(parent), state, isRemote: true, out ActivityContext context) ? context : default;
    }

    // Copies all header lines except those of the trace context, without the empty line at the end.
    private static void CopyOthers(ReadOnlySpan<byte> headers, ArrayBufferWriter<byte> block)
    {
        while (!headers.IsEmpty && !headers.StartsWith(LineEnd))
        {
            int end = headers.IndexOf(LineEnd);
            ReadOnlySpan<byte> line = end < 0 ? headers : headers[..(end + 2)];
            headers = headers[line.Length..];
            int colon = line.IndexOf((byte)':');
            ReadOnlySpan<byte> name = colon < 0 ? default : line[..colon];
            if (!Ascii.EqualsIgnoreCase(name, Parent) && !Ascii.EqualsIgnoreCase(name, State))
            {
                block.Write(line);
            }
        }
    }

    private static void Add(ArrayBufferWriter<byte> block, ReadOnlySpan<byte> name, string value)
    {
        block.Write(name);
        block.Write(": "u8);
        block.Advance(Encoding.ASCII.GetBytes(value, block.GetSpan(value.Length)));
        block.Write(LineEnd);
    }
}
