namespace Broker.Transport;

/// <summary>
/// Decides which connections are read now, so that bulk connections leave processors to connections that send little
/// and wait for replies. Not thread-safe: only its loop uses it.
/// </summary>
/// <remarks>
/// A connection whose reads fill the buffer is a <em>bulk</em> connection. A connection whose reads are small and
/// cause something to be sent is <em>interactive</em>: a peer waits for each reply. The loop serves both in rotation.
/// But if there are few processors, the sender of bulk data takes a processor from the programs that the interactive
/// connections wait for, and a kernel that lets the sender finish its time slice delays them by milliseconds. A sender
/// whose bytes are not read has to wait. So while there are interactive connections, a bulk connection waits between
/// two reads for a number of polls; no clock is read. The wait is longer the more messages the read contained, up to
/// the pause: a read of many small messages keeps the loop busy for a while, and its sender soon sends again; a read
/// of a few large messages is mostly work of the kernel and of its sender.
/// </remarks>
/// <param name="pause">
/// How many polls a bulk connection waits while there are interactive connections; 0 for no wait.
/// </param>
internal sealed class Pacing(int pause)
{
    /// <summary>How many polls a read and its consequences count as: it takes about as long.</summary>
    internal const int PollsPerRead = 20;

    /// <summary>A bulk connection waits one poll for this many messages of a read.</summary>
    internal const int MessagesPerPoll = 32;

    /// <summary>The number of messages of a read whose handler does not report it.</summary>
    internal const long Unknown = -1;

    /// <summary>How many polls long an interactive read is remembered.</summary>
    internal const int InteractivePolls = 4_000;

    /// <summary>The most bytes that an interactive connection sends at a time.</summary>
    internal const int MaxInteractiveBytes = 4 * 1024;

    /// <summary>The least bytes of a read that counts as bulk.</summary>
    internal const int MinBulkBytes = 32 * 1024;

    private const int DefaultPause = 60;
    private const int FewProcessors = 3;

    private long _polls = InteractivePolls;
    private long _lastInteractive;
    private bool _hasReadBulk;

    /// <summary>The default of <see cref="EventLoopOptions.BulkPause"/> for a number of processors.</summary>
    internal static int DefaultPauseFor(int processors) => processors <= FewProcessors ? DefaultPause : 0;

    /// <summary>
    /// Whether polling is worth while after the last reads. After bulk data it is not: no peer waits for a reply to
    /// it, and when a thread has slept and woken, there is more to read at once.
    /// </summary>
    internal bool ShouldPoll => !_hasReadBulk || HasInteractive;

    /// <summary>The number of polls so far, including reads in units of polls.</summary>
    internal long Polls => _polls;

    private bool HasInteractive => _polls - _lastInteractive < InteractivePolls;

    /// <summary>Counts one poll of the loop.</summary>
    internal void CountPoll() => _polls++;

    /// <summary>The loop has waited, and now reads the ready connections.</summary>
    internal void BeginReads() => _hasReadBulk = false;

    /// <summary>Counts a read of a connection.</summary>
    /// <param name="pace">The state of the connection.</param>
    /// <param name="bytes">The number of bytes that were read.</param>
    /// <param name="more">Whether there may be more to read.</param>
    /// <param name="hasReplies">Whether the bytes caused something to be sent, to any connection.</param>
    /// <param name="messages">The number of messages in the read, or <see cref="Unknown"/>.</param>
    internal void CountRead(ref Pace pace, long bytes, bool more, bool hasReplies, long messages = Unknown)
    {
        // A part of a message counts as no message.
        pace.CountsMessages |= messages != Unknown;
        _polls += PollsPerRead;
        _hasReadBulk |= bytes >= MinBulkBytes;
        if (more)
        {
            pace.ResumesAt = _polls + (pace.CountsMessages ? Math.Min(pause, messages / MessagesPerPoll) : pause);
        }
        else if (hasReplies && bytes <= MaxInteractiveBytes)
        {
            // The count also identifies the connection: no two reads have the same count.
            pace.LastInteractive = _lastInteractive = _polls;
        }
    }

    /// <summary>
    /// Whether to leave a readable connection for a later iteration. The caller must make sure that the connection is
    /// reported again.
    /// </summary>
    internal bool ShouldDefer(in Pace pace) => pace.ResumesAt > _polls && OthersAreInteractive(pace);

    /// <summary>Whether another connection had the last interactive read, and it was not long ago.</summary>
    internal bool OthersAreInteractive(in Pace pace) => pace.LastInteractive != _lastInteractive && HasInteractive;

    /// <summary>The pacing state of one connection.</summary>
    internal struct Pace
    {
        /// <summary>
        /// The count of polls before which the connection is not read while there are interactive ones.
        /// </summary>
        internal long ResumesAt;

        /// <summary>Whether the connection's handler reports how many messages a read contains.</summary>
        internal bool CountsMessages;

        /// <summary>The count of polls at the connection's last interactive read.</summary>
        internal long LastInteractive;
    }
}
