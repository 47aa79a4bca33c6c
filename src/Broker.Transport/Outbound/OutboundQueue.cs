using Broker.Transport.Buffers;

namespace Broker.Transport.Outbound;

/// <summary>
/// What was handed over to a connection and is not taken by its peer yet: blocks in order, each beginning where a writer's message
/// begins and holding whole ones.
/// </summary>
/// <remarks>
/// <para><b>Who may touch which block.</b> A stage's blocks are its loop's until <see cref="Add"/>. From then on they are the
/// queue's: everything here is done under <see cref="Gate"/>, and only the figures are read without it.
/// At most one thread has the <em>right to send</em> (<see cref="OutboundSender"/>). It takes all blocks out with <see cref="TakeAll"/>
/// and owns them outside the gate until <see cref="PutBack"/> puts what is left in front again; who hands over meanwhile fills
/// the queue behind them.</para>
/// <para>Two senders leave what they are sending in the queue: a transport that waits has lent the first bytes
/// of the first block to the system, and TLS has encrypted bytes from the front that it still counts as unsent. Such bytes, and
/// those already sent, stay where they are: nobody moves or drops a block with a <em>fixed</em> part. Behind the
/// <see cref="Block.End"/> of any block in the queue bytes may be appended at all times, for nobody was shown what lies there.</para>
/// <para><b>What is counted.</b> <see cref="PendingBytes"/> is what writers wrote, until the peer has taken it. <see cref="BufferedBytes"/> is
/// the memory for it: beside those bytes the room in the middle of the queue that nothing will fill any more, and ciphertext. What is
/// held beyond is at most the sent part of the first block and the room of the last.
/// Both include what a sender has taken out.</para>
/// </remarks>
internal sealed class OutboundQueue
{
    // A peer that takes a little in between has more, and more of it: then nothing is worth moving.
    private const int AddedUntilStopped = 8;

    private readonly SharedBlockPool _depot;
    private BlockChain _waiting;
    private int _addedSinceSent;
    private long _pendingBytes;
    private long _sentBytes;
    private long _waste;
    private long _ciphertext;
    private long _bufferedBytes;
    private long _refusedMessages;
    private long _refusedBytes;

    // What was pending when a walk through the whole queue found too few messages to drop; -1 when something has been sent since.
    private long _pendingAtFailedScan = -1;

    internal OutboundQueue(SharedBlockPool depot)
    {
        _depot = depot;
    }

    internal Lock Gate { get; } = new();

    /// <summary>Any thread, a moment's truth.</summary>
    internal long PendingBytes => Volatile.Read(ref _pendingBytes);

    /// <summary>Any thread, a moment's truth.</summary>
    internal long BufferedBytes => Volatile.Read(ref _bufferedBytes);

    /// <summary>Any thread, a moment's truth.</summary>
    internal long SentBytes => Volatile.Read(ref _sentBytes);

    internal bool IsEmpty => _waiting.IsEmpty;

    internal Block? First => _waiting.Head;

    /// <summary>How often the queue was walked through for messages to drop. For tests.</summary>
    internal long Scans { get; private set; }

    /// <summary>The size of all blocks that are in the queue now. For tests.</summary>
    internal long BlockBytes
    {
        get
        {
            lock (Gate)
            {
                long bytes = 0;
                for (Block? at = _waiting.Head; at is not null; at = at.Next)
                {
                    bytes += at.Array.Length;
                }

                return bytes;
            }
        }
    }

    /// <summary>Takes a stage's blocks over, as they are: they will be sent at once.</summary>
    internal BlockChain AddAndTakeAll(in FlushedBlocks flushed)
    {
        _pendingBytes += flushed.Bytes;
        _waste += flushed.Waste;
        Count();
        return new BlockChain(flushed.First!, flushed.Last!);
    }

    /// <summary>Takes a stage's blocks over that will have to wait: what they hold is packed.</summary>
    internal void Add(in FlushedBlocks flushed, EventLoop? loop)
    {
        _pendingBytes += flushed.Bytes;
        for (Block? at = flushed.First; at is not null;)
        {
            Block block = at;
            at = at.Next;
            block.Next = null;
            _waste += _waiting.Pack(block, _pendingBytes, loop, _depot);
        }

        _addedSinceSent++;
        Count();
    }

    /// <summary>
    /// For a peer that has taken nothing while several turns brought more: what is left of the first block gets one of its size, once. Not
    /// while the first block is lent.
    /// </summary>
    internal void TrimForStopped(IOutboundFraming framing, EventLoop? loop)
    {
        if (_addedSinceSent == AddedUntilStopped && _waiting.Head is { } first && first.Start >= first.Array.Length / 2)
        {
            _waste += _waiting.TrimFirst(MessageBoundaries.StartOfUnsent(first, framing), loop, _depot);
            _pendingAtFailedScan = -1;
            Count();
        }
    }

    /// <summary>Counts what a stage brought as lost.</summary>
    internal void CountRefused(in FlushedBlocks flushed, IOutboundFraming? framing)
    {
        _refusedBytes += flushed.Bytes;
        for (Block? at = flushed.First; at is not null; at = at.Next)
        {
            _refusedMessages += MessageBoundaries.CountUnsent(at, at.Start, framing);
        }
    }

    /// <summary>Gives all blocks to who has the right to send.</summary>
    internal BlockChain TakeAll() => _waiting.TakeAll();

    /// <summary>What was taken out has been sent in part. <paramref name="unsent"/> goes before what came meanwhile.</summary>
    internal void PutBack(Block? unsent, Block? last, in SentTally tally, EventLoop? loop)
    {
        CountSent(tally.Bytes, tally.Waste);
        if (unsent is not null)
        {
            _waste += _waiting.PutBack(unsent, last!, loop);
        }

        Count();
    }

    /// <summary>The transport has taken bytes of the first block by itself.</summary>
    internal void Consume(int sent, EventLoop loop)
    {
        long waste = _waiting.Consume(sent, loop);
        CountSent(sent, waste);
        Count();
    }

    /// <summary>These blocks, the queue's, are TLS' from now on, which sends them as they are: they count as sent.</summary>
    internal void CountAsSent(in BlockChain clear)
    {
        (long bytes, long waste) = clear.Measure();
        CountSent(bytes, waste);
        Count();
    }

    /// <summary>How many bytes of ciphertext there are beside.</summary>
    internal void CountCiphertext(long bytes)
    {
        _ciphertext = bytes;
        Count();
    }

    /// <summary>
    /// Drops messages from the front, as far as they are not fixed, until <paramref name="bytes"/> are gone. Returns what is gone.
    /// </summary>
    /// <remarks>
    /// Where a walk has found too few, nothing is looked at until as much has come as is asked for, or something was sent: a queue of
    /// answers alone would be walked through for each message that there is no room for.
    /// </remarks>
    /// <param name="bytes">How many bytes to drop, at least if possible.</param>
    /// <param name="fixedBytes">How many bytes from the front are encrypted.</param>
    /// <param name="firstIsBeingSent">Whether the first block is being sent.</param>
    /// <param name="isPartial">Whether a sender has blocks out, so that this is not the whole queue.</param>
    /// <param name="framing">Tells messages from what must stay.</param>
    /// <param name="loop">The caller's loop.</param>
    internal OutboundCount Drop(long bytes, long fixedBytes, bool firstIsBeingSent, bool isPartial, IOutboundFraming framing, EventLoop? loop)
    {
        if (!isPartial && _pendingAtFailedScan >= 0 && _pendingBytes - _pendingAtFailedScan < bytes)
        {
            return default;
        }

        Scans++;
        long dropped = 0;
        long messages = 0;
        long fixedLeft = fixedBytes;
        bool lent = firstIsBeingSent;
        BlockChain before = _waiting.TakeAll();
        _waste -= before.Measure().Waste;
        for (Block? at = before.Head; at is not null;)
        {
            Block block = at;
            at = at.Next;
            block.Next = null;
            if (lent || block.Start != 0 || fixedLeft > 0)
            {
                fixedLeft -= block.Length;
                lent = false;
                _waste += _waiting.Link(block);
                continue;
            }

            if (dropped < bytes)
            {
                int length = block.End;
                messages += MessageBoundaries.DropMessages(block, framing, bytes - dropped);
                dropped += length - block.End;
            }

            // Also behind the last one that lost something, until nothing fits any more: answers must not hold a block each.
            _waste += _waiting.Pack(block, _pendingBytes - dropped, loop, _depot);
        }

        _pendingBytes -= dropped;
        _pendingAtFailedScan = isPartial || dropped >= bytes ? -1 : _pendingBytes;
        Count();
        return new OutboundCount(messages, dropped);
    }

    /// <summary>What will not be sent any more: the queue as it is, and what was refused because of the bound.</summary>
    internal OutboundCount CountUnsent(IOutboundFraming? framing)
    {
        (long messages, long bytes) = CountBehind(0, framing);
        return new OutboundCount(_refusedMessages + messages, _refusedBytes + bytes);
    }

    /// <summary>What is queued behind the first <paramref name="possiblySent"/> bytes.</summary>
    internal OutboundCount CountBehind(long possiblySent, IOutboundFraming? framing)
    {
        long messages = 0;
        long bytes = 0;
        for (Block? at = _waiting.Head; at is not null; at = at.Next)
        {
            int gone = (int)Math.Min(at.Length, possiblySent);
            possiblySent -= gone;
            messages += MessageBoundaries.CountUnsent(at, at.Start + gone, framing);
            bytes += at.Length - gone;
        }

        return new OutboundCount(messages, bytes);
    }

    /// <summary>Shows the messages behind the first <paramref name="possiblySent"/> bytes.</summary>
    internal void VisitBehind(long possiblySent, IOutboundFraming framing, IUnsentMessages unsent)
    {
        for (Block? at = _waiting.Head; at is not null; at = at.Next)
        {
            int gone = (int)Math.Min(at.Length, possiblySent);
            possiblySent -= gone;
            MessageBoundaries.VisitUnsent(at, at.Start + gone, framing, unsent);
        }
    }

    /// <summary>Gives all blocks back. What they held counts as pending for ever: it was not sent.</summary>
    internal void Clear(EventLoop? loop) => BlockPools.ReturnAll(_waiting.TakeAll().Head, loop);

    private void CountSent(long bytes, long waste)
    {
        if (bytes != 0)
        {
            // What could not be dropped then, because it was being sent, may be another now.
            _pendingAtFailedScan = -1;
            _addedSinceSent = 0;
        }

        _pendingBytes -= bytes;
        _sentBytes += bytes;
        _waste -= waste;
    }

    private void Count() => Volatile.Write(ref _bufferedBytes, _pendingBytes + _waste + _ciphertext);
}
