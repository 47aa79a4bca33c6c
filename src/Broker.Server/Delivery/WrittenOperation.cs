using System.Buffers.Text;
using Broker.Transport;

namespace Broker.Server.Delivery;

/// <summary>
/// Where the operations end that this server has written for a client. What we wrote ourselves is known: a line up to its CR LF,
/// and behind that of a message so many bytes as its last word says and CR LF. No other word is looked at: sids and subjects are
/// clients' and may hold anything.
/// </summary>
internal sealed class WrittenOperation : IOutboundFraming
{
    internal static readonly WrittenOperation Framing = new();

    private const int EndLength = 2;

    /// <inheritdoc/>
    public int Measure(ReadOnlySpan<byte> written, out bool isMessage)
    {
        int line = written.IndexOf((byte)'\n') + 1;
        isMessage = line > EndLength && (written.StartsWith("MSG "u8) || written.StartsWith("HMSG "u8));
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
