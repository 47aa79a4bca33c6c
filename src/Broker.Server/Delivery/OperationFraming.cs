using System.Buffers.Text;
using Broker.Transport;

namespace Broker.Server;

/// <summary>
/// Finds the boundaries of operations that this server has written for a client or for a leaf node. The format of these
/// bytes is known: a line that ends with CR LF and, for a message, a payload and another CR LF. The last word of the
/// line is the payload size. The subject and the sid are not read, because clients choose them and they may have any
/// content.
/// </summary>
internal sealed class OperationFraming : IOutboundFraming
{
    internal static readonly OperationFraming Framing = new();

    private const int EndLength = 2;

    /// <inheritdoc/>
    public int Measure(ReadOnlySpan<byte> written, out bool isMessage)
    {
        int line = written.IndexOf((byte)'\n') + 1;
        isMessage = line > EndLength && (written.StartsWith("MSG "u8) || written.StartsWith("HMSG "u8) || written.StartsWith("LMSG "u8));
        if (!isMessage)
        {
            return line;
        }

        ReadOnlySpan<byte> words = written[..(line - EndLength)];
        ReadOnlySpan<byte> size = words[(words.LastIndexOf((byte)' ') + 1)..];
        if (!Utf8Parser.TryParse(size, out uint payload, out int digits) || digits != size.Length)
        {
            return 0;
        }

        long length = line + (long)payload + EndLength;
        return length <= written.Length ? (int)length : 0;
    }
}
