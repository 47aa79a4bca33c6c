using Broker.Transport.Buffers;

namespace Broker.Transport.Outbound;

/// <summary>Goes through a block piece by piece, as the protocol's framing divides it.</summary>
internal static class MessageBoundaries
{
    /// <summary>How many messages end behind the first <paramref name="sent"/> bytes of a block.</summary>
    internal static long CountUnsent(Block block, int sent, IOutboundFraming? framing)
    {
        long messages = 0;
        ReadOnlySpan<byte> written = block.Array.AsSpan(0, block.End);
        for (int at = 0; at < written.Length && framing is not null;)
        {
            at += Measure(framing, written[at..], out bool isMessage);
            messages += isMessage && at > sent ? 1 : 0;
        }

        return messages;
    }

    /// <summary>Where the piece begins of which a block's first unsent byte is: what lies before it, nobody will ask for.</summary>
    internal static int StartOfUnsent(Block block, IOutboundFraming framing)
    {
        ReadOnlySpan<byte> written = block.Array.AsSpan(0, block.End);
        int at = 0;
        while (at < block.Start)
        {
            int next = at + Measure(framing, written[at..], out _);
            if (next > block.Start)
            {
                break;
            }

            at = next;
        }

        return at;
    }

    /// <summary>Shows the messages that end behind the first <paramref name="sent"/> bytes of a block.</summary>
    internal static void VisitUnsent(Block block, int sent, IOutboundFraming framing, IUnsentMessages unsent)
    {
        ReadOnlySpan<byte> written = block.Array.AsSpan(0, block.End);
        for (int at = 0; at < written.Length;)
        {
            int start = at;
            at += Measure(framing, written[at..], out bool isMessage);
            if (isMessage && at > sent)
            {
                unsent.Add(written[start..at]);
            }
        }
    }

    /// <summary>Drops messages from the start until <paramref name="bytes"/> are gone, and moves the rest to the front. Returns how many.</summary>
    internal static long DropMessages(Block block, IOutboundFraming framing, long bytes)
    {
        long messages = 0;
        long gone = 0;
        int kept = 0;
        int at = 0;
        Span<byte> written = block.Array.AsSpan(0, block.End);
        while (at < written.Length && gone < bytes)
        {
            int length = Measure(framing, written[at..], out bool isMessage);
            if (isMessage)
            {
                messages++;
                gone += length;
            }
            else
            {
                written.Slice(at, length).CopyTo(written[kept..]);
                kept += length;
            }

            at += length;
        }

        written[at..].CopyTo(written[kept..]);
        block.End = kept + written.Length - at;
        return messages;
    }

    // What a framing does not understand is better kept than cut.
    private static int Measure(IOutboundFraming framing, ReadOnlySpan<byte> written, out bool isMessage)
    {
        int length = framing.Measure(written, out isMessage);
        if (length > 0 && length <= written.Length)
        {
            return length;
        }

        isMessage = false;
        return written.Length;
    }
}
