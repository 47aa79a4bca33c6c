using System.Text;

namespace Broker.Client.Streams;

/// <summary>The first line of a header block with a status: <c>NATS/1.0 409 Consumer Deleted</c>.</summary>
internal static class StatusLine
{
    private const int Version = 8;
    private const int Code = 4;

    /// <summary>Returns the text after the status. Empty if there is none.</summary>
    internal static string Text(ReadOnlySpan<byte> headers) => Encoding.UTF8.GetString(TextBytes(headers));

    /// <summary>Returns the bytes of the text after the status. Empty if there is none.</summary>
    internal static ReadOnlySpan<byte> TextBytes(ReadOnlySpan<byte> headers)
    {
        int end = headers.IndexOf((byte)'\r');
        ReadOnlySpan<byte> line = end < 0 ? headers : headers[..end];
        return line.Length <= Version + Code ? [] : line[(Version + Code)..].Trim((byte)' ');
    }
}
