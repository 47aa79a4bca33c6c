namespace Broker.Streams;

/// <summary>The answers of an account that wait for the disk. Used on the loop of the account only.</summary>
internal sealed class PendingReplies
{
    // The bytes of an entry beside its reply subject.
    private const int EntryBytes = 96;

    private readonly SlotList<PendingReply> _waiting = new();
    private readonly Stack<PendingReply> _free = [];

    /// <summary>The approximate memory of the answers that wait.</summary>
    internal long Bytes { get; private set; }

    /// <summary>Adds an answer and returns the token for the store.</summary>
    internal long Add(PendingReply reply) => _waiting.Add(reply);

    /// <summary>Removes the answer of a token.</summary>
    internal PendingReply Take(long token) => _waiting.Remove((int)token);

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
