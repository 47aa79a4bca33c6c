namespace Broker.Client.Streams;

/// <summary>
/// Counts the messages that are requested and those that are held (queued or in the reader's hands), and says when to
/// request more. Messages are requested in halves of the limits, so that the second half is on its way while the first
/// is read. Used under the consumption's lock.
/// </summary>
/// <remarks>
/// The server serves the two open requests in turn. Two equal requests would end together, and the server would have no
/// request until the next ones arrive. So a request for fewer messages comes first, whenever no request is open: from
/// then on one request is half served when the other one ends.
/// </remarks>
/// <param name="maxMessages">The largest number of messages.</param>
/// <param name="maxBytes">The largest size of the messages.</param>
/// <param name="once">Whether only one request is made, for all messages.</param>
internal sealed class PullWindow(int maxMessages, long maxBytes, bool once)
{
    // Fewer messages are requested at once.
    private const int LeastDivided = 8;

    private long _openMessages;
    private long _openBytes;
    private long _heldMessages;
    private long _heldBytes;

    /// <summary>The number of messages of one request.</summary>
    internal int Batch { get; } = once ? maxMessages : Math.Max(1, maxMessages / 2);

    /// <summary>The number of messages of a request while no other request is open.</summary>
    internal int FirstBatch => once || Batch < LeastDivided ? Batch : Batch / 2;

    /// <summary>The size limit of one request.</summary>
    internal long BatchBytes { get; } = once || maxMessages < 2 ? maxBytes : Math.Max(1, maxBytes / 2);

    /// <summary>The number of messages that are queued or in the reader's hands.</summary>
    internal long HeldMessages => _heldMessages;

    internal bool IsAnyOpen => _openMessages != 0;

    internal bool HasRoom
        => maxMessages - _openMessages - _heldMessages >= (IsAnyOpen ? Batch : FirstBatch) && maxBytes - _openBytes - _heldBytes >= BatchBytes;

    internal void Open(PullSlot slot)
    {
        slot.Messages = IsAnyOpen ? Batch : FirstBatch;
        slot.Bytes = BatchBytes;
        slot.IsServed = false;
        _openMessages += slot.Messages;
        _openBytes += BatchBytes;
    }

    /// <summary>Counts a message that has arrived. Returns whether the request of its slot has ended with it.</summary>
    internal bool Receive(PullSlot slot, int size)
    {
        _heldMessages++;
        _heldBytes += size;
        if (slot.Messages == 0)
        {
            return false;
        }

        long bytes = Math.Min(slot.Bytes, size);
        slot.IsServed = true;
        slot.Messages--;
        slot.Bytes -= bytes;
        _openMessages--;
        _openBytes -= bytes;
        return slot.Messages == 0 && Close(slot);
    }

    /// <summary>Counts messages that the reader has finished.</summary>
    internal void Release(long messages, long size)
    {
        _heldMessages -= messages;
        _heldBytes -= size;
    }

    /// <summary>Removes what a request can no longer bring.</summary>
    internal bool Close(PullSlot slot)
    {
        _openMessages -= slot.Messages;
        _openBytes -= slot.Bytes;
        slot.Messages = 0;
        slot.Bytes = 0;
        return true;
    }
}
