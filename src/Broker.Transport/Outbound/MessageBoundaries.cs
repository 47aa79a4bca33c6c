namespace Broker.Transport;

/// <summary>Finds the boundaries of messages in a block. The protocol's framing divides the block.</summary>
internal static class MessageBoundaries
{
    /// <summary>Counts the messages that end behind the first <paramref name="sent"/> bytes of a block.</summary>
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

    /// <summary>
    /// Finds the start of the message or other unit that contains the first unsent byte of a block. The bytes before
    /// this start are no longer needed.
    /// </summary>
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

    /// <summary>
    /// Passes the messages that end behind the first <paramref name="sent"/> bytes of a block to
    /// <paramref name="unsent"/>.
    /// </summary>
    internal static void VisitUnsent(Block block, int sent, IOutboundFraming framing, IUnsentMessages unsent)
    {
        ReadOnlySpan<byte> written = block.Array.AsSpan(0, block.End);
        for (int at = 0; at < written.Length;)
        {
            int start = at;
            at += Measure(framing, written[at..], out bool isMessage);
            if (isMessage && at > sent)
            {
                Visit(written[start..at], isPartlySent: start < sent, unsent);
            }
        }
    }

    private static void Visit(ReadOnlySpan<byte> message, bool isPartlySent, IUnsentMessages unsent)
    {
        if (isPartlySent)
        {
            unsent.AddPartlySent(message);
        }
        else
        {
            unsent.Add(message);
        }
    }

    /// <summary>
    /// Drops messages from the start until <paramref name="bytes"/> bytes are dropped, and moves the remaining bytes to
    /// the front. Returns the number of dropped messages.
    /// </summary>
    internal static long DropMessages(Block block, IOutboundFraming framing, long bytes)
    {
        long messages = 0;
        long dropped = 0;
        int kept = 0;
        int at = 0;
        Span<byte> written = block.Array.AsSpan(0, block.End);
        while (at < written.Length && dropped < bytes)
        {
            int length = Measure(framing, written[at..], out bool isMessage);
            if (isMessage)
            {
                messages++;
                dropped += length;
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

    // If the framing does not understand the bytes, all of them are kept.
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
