using System.Buffers.Text;
using Broker.Transport;

namespace Broker.Leaf;

/// <summary>
/// Finds the boundaries of the operations that this side has written, so that unsent messages are counted. The last
/// word of a message's line is the payload size.
/// </summary>
internal sealed class LeafFraming : IOutboundFraming
{
    internal static readonly LeafFraming Framing = new();

    private const int EndLength = 2;

    /// <inheritdoc/>
    public int Measure(ReadOnlySpan<byte> written, out bool isMessage)
    {
        int line = written.IndexOf((byte)'\n') + 1;
        isMessage = line > EndLength && (written.StartsWith("LMSG "u8) || written.StartsWith("HMSG "u8));
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

    /// <summary>Counts the messages in written bytes.</summary>
    internal static int CountMessages(ReadOnlySpan<byte> written)
    {
        int messages = 0;
        while (!written.IsEmpty)
        {
            int length = Framing.Measure(written, out bool isMessage);
            if (length <= 0 || length > written.Length)
            {
                break;
            }

            messages += isMessage ? 1 : 0;
            written = written[length..];
        }

        return messages;
    }
}
