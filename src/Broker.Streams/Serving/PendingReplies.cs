namespace Broker.Streams;

/// <summary>The answers of an account that wait for the disk. Used on the loop of the account only.</summary>
internal sealed class PendingReplies
{
    // The bytes of an entry beside its reply subject.
    private const int EntryBytes = 96;

    private readonly List<PendingReply?> _slots = [];
    private readonly Stack<int> _freeSlots = [];
    private readonly Stack<PendingReply> _free = [];

    /// <summary>The approximate memory of the answers that wait.</summary>
    internal long Bytes { get; private set; }

    /// <summary>Adds an answer and returns the token for the store.</summary>
    internal long Add(PendingReply reply)
    {
        if (_freeSlots.TryPop(out int slot))
        {
            _slots[slot] = reply;
            return slot;
        }

        _slots.Add(reply);
        return _slots.Count - 1;
    }

    /// <summary>Removes the answer of a token.</summary>
    internal PendingReply Take(long token)
    {
        PendingReply reply = _slots[(int)token]!;
        _slots[(int)token] = null;
        _freeSlots.Push((int)token);
        return reply;
    }

    internal PendingReply Rent(ReadOnlySpan<byte> subject)
    {
        if (!_free.TryPop(out PendingReply? reply))
        {
            reply = new PendingReply();
        }

        reply.SetSubject(subject);
        Bytes += subject.Length + EntryBytes;
        return reply;
    }

    internal void Return(PendingReply reply)
    {
        Bytes -= reply.Subject.Length + EntryBytes;
        reply.Clear();
        _free.Push(reply);
    }
}
