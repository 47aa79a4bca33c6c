namespace Broker.Transport;

/// <summary>
/// Decides which connections are read now. Bulk connections should leave processors to connections that send little and
/// wait for replies. Not thread-safe: only the loop uses this object.
/// </summary>
/// <remarks>
/// <para>If the reads of a connection fill the buffer, it is a <em>bulk</em> connection. If its reads are small and
/// cause something to be sent, it is an <em>interactive</em> connection: its peer waits for each reply. The loop serves
/// both kinds in rotation. But if there are few processors, the sender of bulk data takes a processor from the programs
/// that the interactive connections wait for. If the kernel lets the sender finish its time slice, these programs are
/// delayed by milliseconds.</para>
/// <para>A sender whose bytes are not read has to wait. So while there are interactive connections, a bulk connection
/// waits for a number of polls between two reads. No clock is read. The more messages a read contained, the longer is
/// the wait, up to the limit <c>pause</c>. A read of many small messages keeps the loop busy for a while, and its
/// sender soon sends again. A read of a few large messages is mostly work of the kernel and of the sender.</para>
/// </remarks>
/// <param name="pause">
/// The longest wait of a bulk connection, in polls, while there are interactive connections; 0 for no wait.
/// </param>
internal sealed class Pacing(int pause)
{
    /// <summary>A read and its consequences count as this number of polls, because they take about as long.</summary>
    internal const int PollsPerRead = 20;

    /// <summary>A bulk connection waits one poll for this number of messages in a read.</summary>
    internal const int MessagesPerPoll = 32;

    /// <summary>Stands for the number of messages in a read if the handler does not report this number.</summary>
    internal const long Unknown = -1;

    /// <summary>The number of polls for which an interactive read is remembered.</summary>
    internal const int InteractivePolls = 4_000;

    /// <summary>The largest read of an interactive connection, in bytes.</summary>
    internal const int MaxInteractiveBytes = 4 * 1024;

    /// <summary>The smallest read that counts as bulk, in bytes.</summary>
    internal const int MinBulkBytes = 32 * 1024;

    private const int DefaultPause = 60;
    private const int FewProcessors = 3;

    private long _polls = InteractivePolls;
    private long _lastInteractive;
    private bool _hasReadBulk;

    /// <summary>The default of <see cref="EventLoopOptions.BulkPause"/> for a number of processors.</summary>
    internal static int DefaultPauseFor(int processors) => processors <= FewProcessors ? DefaultPause : 0;

    /// <summary>
    /// Whether polling is likely to find events after the last reads. After bulk data it is not: no peer waits for a
    /// reply, and after the thread has slept and woken, there is more to read at once.
    /// </summary>
    internal bool ShouldPoll => !_hasReadBulk || HasInteractive;

    /// <summary>The number of polls so far, including reads in units of polls.</summary>
    internal long Polls => _polls;

    private bool HasInteractive => _polls - _lastInteractive < InteractivePolls;

    /// <summary>Counts one poll of the loop.</summary>
    internal void CountPoll() => _polls++;

    /// <summary>Called when the loop has waited and begins to read the ready connections.</summary>
    internal void BeginReads() => _hasReadBulk = false;

    /// <summary>Counts a read of a connection.</summary>
    /// <param name="pace">The state of the connection.</param>
    /// <param name="bytes">The number of bytes that were read.</param>
    /// <param name="more">Whether there may be more to read.</param>
    /// <param name="hasReplies">Whether the bytes caused something to be sent to any connection.</param>
    /// <param name="messages">The number of messages in the read, or <see cref="Unknown"/>.</param>
    internal void CountRead(ref Pace pace, long bytes, bool more, bool hasReplies, long messages = Unknown)
    {
        // A handler may report 0 for a part of a message, so 0 also counts as a report.
        pace.CountsMessages |= messages != Unknown;
        _polls += PollsPerRead;
        _hasReadBulk |= bytes >= MinBulkBytes;
        if (more)
        {
            pace.ResumesAt = _polls + (pace.CountsMessages ? Math.Min(pause, messages / MessagesPerPoll) : pause);
        }
        else if (hasReplies && bytes <= MaxInteractiveBytes)
        {
            // The count of polls also identifies the connection, because no two reads have the same count.
            pace.LastInteractive = _lastInteractive = _polls;
        }
    }

    /// <summary>
    /// Whether a readable connection should be left for a later iteration. The caller must make sure that the
    /// connection is reported again.
    /// </summary>
    internal bool ShouldDefer(in Pace pace) => pace.ResumesAt > _polls && OthersAreInteractive(pace);

    /// <summary>Whether another connection had the last interactive read, and this read was not long ago.</summary>
    internal bool OthersAreInteractive(in Pace pace) => pace.LastInteractive != _lastInteractive && HasInteractive;

    /// <summary>The pacing state of one connection.</summary>
    internal struct Pace
    {
        /// <summary>
        /// While there are interactive connections, the connection is not read before the count of polls reaches this
        /// value.
        /// </summary>
        internal long ResumesAt;

        /// <summary>Whether the connection's handler reports the number of messages in a read.</summary>
        internal bool CountsMessages;

        /// <summary>The count of polls at the connection's last interactive read.</summary>
        internal long LastInteractive;
    }
}
