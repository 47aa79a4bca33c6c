namespace Broker.Transport;

/// <summary>
/// The bytes that were flushed to a connection and that its peer has not accepted yet, as blocks in order. Each block
/// begins at the start of a written message and contains whole messages.
/// </summary>
/// <remarks>
/// <para><b>Who may access which block.</b> The blocks of a write buffer belong to its loop until <see cref="Add"/>.
/// From then on they belong to the queue. Every method here runs under <see cref="Gate"/>. Only the byte counts are
/// read without this lock. At most one thread has the <em>right to send</em> (<see cref="OutboundPump"/>). It takes all
/// blocks out with <see cref="TakeAll"/> and owns them outside the lock until <see cref="PutBack"/> puts the unsent
/// blocks in front again. Threads that flush meanwhile add blocks to the queue.</para>
/// <para>Two kinds of senders leave their bytes in the queue while they send: a transport with an asynchronous send has
/// passed the first bytes of the first block to the system, and a security layer has encrypted bytes at the front that
/// still count as unsent. These bytes, and bytes that were already sent, stay at their place: no thread moves or drops
/// a block with such a <em>fixed</em> part. Bytes may be appended behind the <see cref="Block.End"/> of any block in
/// the queue at any time, because no sender was given that memory.</para>
/// <para><b>What is counted.</b> <see cref="PendingBytes"/> counts the written bytes that the peer has not accepted.
/// <see cref="BufferedBytes"/> counts the memory: these bytes, the unused space in the middle of the queue that nothing
/// will fill any more, and ciphertext. In addition, the queue uses at most the sent part of the first block and the
/// free space of the last block. Both counts include the blocks that a sender has taken out.</para>
/// </remarks>
internal sealed class OutboundQueue
{
    // Memory is saved only after this number of flushes without any sent byte. A peer that accepts some bytes meanwhile
    // will soon accept more, so moving bytes would not be worth its cost.
    private const int AddedUntilStopped = 8;

    private readonly SharedBlockPool _sharedBlocks;
    private BlockChain _waiting;
    private int _addedSinceSent;
    private long _pendingBytes;
    private long _sentBytes;
    private long _unused;
    private long _ciphertext;
    private long _bufferedBytes;
    private long _refusedMessages;
    private long _refusedBytes;

    // The pending bytes at the time when a scan of the whole queue found too few messages to drop. -1 if bytes were
    // sent since.
    private long _pendingAtFailedScan = -1;

    internal OutboundQueue(SharedBlockPool sharedBlocks)
    {
        _sharedBlocks = sharedBlocks;
    }

    internal Lock Gate { get; } = new();

    /// <summary>The bytes that the peer has not accepted. Any thread. The value may change at any time.</summary>
    internal long PendingBytes => Volatile.Read(ref _pendingBytes);

    /// <summary>The memory that waits for the peer. Any thread. The value may change at any time.</summary>
    internal long BufferedBytes => Volatile.Read(ref _bufferedBytes);

    /// <summary>The bytes that the peer has accepted. Any thread. The value may change at any time.</summary>
    internal long SentBytes => Volatile.Read(ref _sentBytes);

    /// <summary>The sum of <see cref="SentBytes"/> and <see cref="PendingBytes"/> at one moment. Any thread.</summary>
    internal long FlushedBytes
    {
        get
        {
            lock (Gate)
            {
                return _sentBytes + _pendingBytes;
            }
        }
    }

    internal bool IsEmpty => _waiting.IsEmpty;

    internal Block? First => _waiting.Head;

    /// <summary>The number of times that the queue was scanned for messages to drop. For tests.</summary>
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

    /// <summary>
    /// Counts the blocks of a write buffer as queued, and returns them at once and unchanged, so that they can be sent.
    /// </summary>
    internal BlockChain AddAndTakeAll(in FlushedBlocks flushed)
    {
        _pendingBytes += flushed.Bytes;
        _unused += flushed.Unused;
        Count();
        return new BlockChain(flushed.First!, flushed.Last!);
    }

    /// <summary>Adds all blocks of a write buffer to the queue, and packs their content.</summary>
    internal void Add(in FlushedBlocks flushed, EventLoop? loop)
    {
        _pendingBytes += flushed.Bytes;
        for (Block? at = flushed.First; at is not null;)
        {
            Block block = at;
            at = at.Next;
            block.Next = null;
            _unused += _waiting.Pack(block, _pendingBytes, loop, _sharedBlocks);
        }

        _addedSinceSent++;
        Count();
    }

    /// <summary>
    /// Saves memory if the peer has accepted nothing while several flushes added bytes. Moves the rest of the first
    /// block into a smaller block, once. Must not be called while the transport sends the first block.
    /// </summary>
    internal void TrimForStopped(IOutboundFraming framing, EventLoop? loop)
    {
        if (_addedSinceSent == AddedUntilStopped && _waiting.Head is { } first && first.Start >= first.Array.Length / 2)
        {
            _unused += _waiting.TrimFirst(MessageBoundaries.StartOfUnsent(first, framing), loop, _sharedBlocks);
            _pendingAtFailedScan = -1;
            Count();
        }
    }

    /// <summary>Counts flushed bytes and messages as lost.</summary>
    internal void CountRefused(in FlushedBlocks flushed, IOutboundFraming? framing)
    {
        _refusedBytes += flushed.Bytes;
        for (Block? at = flushed.First; at is not null; at = at.Next)
        {
            _refusedMessages += MessageBoundaries.CountUnsent(at, at.Start, framing);
        }
    }

    /// <summary>Returns all blocks to the thread that has the right to send.</summary>
    internal BlockChain TakeAll() => _waiting.TakeAll();

    /// <summary>
    /// Called when the sender has sent a part of the blocks. Puts <paramref name="unsent"/> before the blocks that were
    /// added meanwhile.
    /// </summary>
    internal void PutBack(Block? unsent, Block? last, in SentTally tally, EventLoop? loop)
    {
        CountSent(tally.Bytes, tally.Unused);
        if (unsent is not null)
        {
            _unused += _waiting.PutBack(unsent, last!, loop);
        }

        Count();
    }

    /// <summary>Called when the transport's asynchronous send has sent bytes of the first block.</summary>
    internal void Consume(int sent, EventLoop loop)
    {
        long unused = _waiting.Consume(sent, loop);
        CountSent(sent, unused);
        Count();
    }

    /// <summary>
    /// Counts blocks of the queue as sent, because the security layer now owns them and sends them unchanged.
    /// </summary>
    internal void CountAsSent(in BlockChain clear)
    {
        (long bytes, long unused) = clear.Measure();
        CountSent(bytes, unused);
        Count();
    }

    /// <summary>Sets the number of bytes of ciphertext that wait for the peer.</summary>
    internal void CountCiphertext(long bytes)
    {
        _ciphertext = bytes;
        Count();
    }

    /// <summary>
    /// Drops messages from the front until <paramref name="bytes"/> bytes are dropped. Messages in a block with a fixed
    /// part are kept. Returns the numbers of dropped messages and bytes.
    /// </summary>
    /// <remarks>
    /// If a scan has found too few messages, the queue is not scanned again until bytes were sent, or until the number
    /// of added bytes reaches <paramref name="bytes"/>. Otherwise a queue that contains only replies would be scanned
    /// for each message that does not fit.
    /// </remarks>
    /// <param name="bytes">The number of bytes to drop.</param>
    /// <param name="fixedBytes">The number of bytes at the front that are encrypted.</param>
    /// <param name="firstIsBeingSent">Whether the transport is sending the first block.</param>
    /// <param name="isPartial">
    /// Whether a sender has taken blocks out, so that the queue does not contain all blocks.
    /// </param>
    /// <param name="framing">Distinguishes messages from other bytes, which must stay.</param>
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
        bool isBeingSent = firstIsBeingSent;
        BlockChain before = _waiting.TakeAll();
        _unused -= before.Measure().Unused;
        for (Block? at = before.Head; at is not null;)
        {
            Block block = at;
            at = at.Next;
            block.Next = null;
            if (isBeingSent || block.Start != 0 || fixedLeft > 0)
            {
                fixedLeft -= block.Length;
                isBeingSent = false;
                _unused += _waiting.Link(block);
                continue;
            }

            if (dropped < bytes)
            {
                int length = block.End;
                messages += MessageBoundaries.DropMessages(block, framing, bytes - dropped);
                dropped += length - block.End;
            }

            // The packing continues after the last block that has lost a message, until nothing fits any more.
            // Otherwise replies would keep one block each.
            _unused += _waiting.Pack(block, _pendingBytes - dropped, loop, _sharedBlocks);
        }

        _pendingBytes -= dropped;
        _pendingAtFailedScan = isPartial || dropped >= bytes ? -1 : _pendingBytes;
        Count();
        return new OutboundCount(messages, dropped);
    }

    /// <summary>
    /// Counts the messages and bytes that will never be sent: the content of the queue, and the messages and bytes that
    /// were dropped because of the limit.
    /// </summary>
    internal OutboundCount CountUnsent(IOutboundFraming? framing)
    {
        (long messages, long bytes) = CountBehind(0, framing);
        return new OutboundCount(_refusedMessages + messages, _refusedBytes + bytes);
    }

    /// <summary>
    /// Counts the messages and bytes that are queued behind the first <paramref name="possiblySent"/> bytes.
    /// </summary>
    internal OutboundCount CountBehind(long possiblySent, IOutboundFraming? framing)
    {
        long messages = 0;
        long bytes = 0;
        for (Block? at = _waiting.Head; at is not null; at = at.Next)
        {
            int sent = (int)Math.Min(at.Length, possiblySent);
            possiblySent -= sent;
            messages += MessageBoundaries.CountUnsent(at, at.Start + sent, framing);
            bytes += at.Length - sent;
        }

        return new OutboundCount(messages, bytes);
    }

    /// <summary>
    /// Passes the messages behind the first <paramref name="possiblySent"/> bytes to <paramref name="unsent"/>.
    /// </summary>
    internal void VisitBehind(long possiblySent, IOutboundFraming framing, IUnsentMessages unsent)
    {
        for (Block? at = _waiting.Head; at is not null; at = at.Next)
        {
            int sent = (int)Math.Min(at.Length, possiblySent);
            possiblySent -= sent;
            MessageBoundaries.VisitUnsent(at, at.Start + sent, framing, unsent);
        }
    }

    /// <summary>
    /// Returns all blocks to their pool. Their bytes still count as pending, because they were not sent.
    /// </summary>
    internal void Clear(EventLoop? loop) => BlockPools.ReturnAll(_waiting.TakeAll().Head, loop);

    private void CountSent(long bytes, long unused)
    {
        if (bytes != 0)
        {
            // Some messages could not be dropped at the last scan because they were being sent. Now they may be
            // droppable.
            _pendingAtFailedScan = -1;
            _addedSinceSent = 0;
        }

        _pendingBytes -= bytes;
        _sentBytes += bytes;
        _unused -= unused;
    }

    private void Count() => Volatile.Write(ref _bufferedBytes, _pendingBytes + _unused + _ciphertext);
}
