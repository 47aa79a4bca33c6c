namespace Broker.Transport;

/// <summary>
/// Who may be read now, so that connections that always have more leave processors to those that send little and wait.
/// Not thread-safe: the loop's.
/// </summary>
/// <remarks>
/// A connection whose reads fill the buffer is <em>bulk</em>, one whose reads are small and lead to something that is sent is
/// <em>quiet</em>: somebody waits for each of them. The loop itself serves both in turn, but where processors are few the sender
/// of the bulk takes one from the programs that the quiet ones wait for, and a kernel that lets it finish its slice makes
/// them wait for milliseconds. What is not read holds its sender up. So beside quiet ones bulk waits between two reads, for a
/// number of looks: no clock is read. The more messages the read held, the longer, up to the pause: a read of many small ones keeps the
/// loop busy for a while and its sender is soon back, while one of few large ones is nearly all the kernel's work, and its sender's.
/// </remarks>
/// <param name="pause">How many looks bulk waits beside quiet connections; 0 for none.</param>
internal sealed class Pacing(int pause)
{
    /// <summary>What a read and all that follows from it counts as, in looks: it takes about as long.</summary>
    internal const int PollsPerRead = 20;

    /// <summary>For so many messages of a read of bulk there is a look to wait.</summary>
    internal const int MessagesPerPoll = 32;

    /// <summary>Of a read whose handler does not say how many messages it held.</summary>
    internal const long Unknown = -1;

    /// <summary>For how many looks a quiet read is remembered.</summary>
    internal const int InteractivePolls = 4_000;

    /// <summary>The most bytes that a quiet connection sends at a time.</summary>
    internal const int MaxInteractiveBytes = 4 * 1024;

    /// <summary>From how many bytes at a time the loop has read bulk.</summary>
    internal const int MinBulkBytes = 32 * 1024;

    private const int DefaultPause = 60;
    private const int FewProcessors = 3;

    private long _polls = InteractivePolls;
    private long _lastInteractive;
    private bool _hasReadBulk;

    /// <summary>What <see cref="EventLoopOptions.BulkPause"/> is by default.</summary>
    internal static int DefaultPauseFor(int processors) => processors <= FewProcessors ? DefaultPause : 0;

    /// <summary>
    /// Whether looking for more is worth while after the last reads. After bulk it is not: nobody waits for an answer to it, and
    /// by the time a thread has slept and woken there is more to read at once.
    /// </summary>
    internal bool ShouldPoll => !_hasReadBulk || HasInteractive;

    /// <summary>How many looks, and what counts as looks, there have been.</summary>
    internal long Polls => _polls;

    private bool HasInteractive => _polls - _lastInteractive < InteractivePolls;

    /// <summary>The loop looks for events.</summary>
    internal void CountPoll() => _polls++;

    /// <summary>The loop has waited, and reads what is ready.</summary>
    internal void BeginReads() => _hasReadBulk = false;

    /// <summary>
    /// A connection was read, may have <paramref name="more"/>, and what it sent was <paramref name="hasReplies"/>: something is
    /// sent on for it, to whomever.
    /// </summary>
    /// <param name="pace">The connection's.</param>
    /// <param name="bytes">How much was read.</param>
    /// <param name="more">Whether there may be more.</param>
    /// <param name="hasReplies">Whether something is sent on for it.</param>
    /// <param name="messages">How many messages it held, or <see cref="Unknown"/>.</param>
    internal void CountRead(ref Pace pace, long bytes, bool more, bool hasReplies, long messages = Unknown)
    {
        // A part of a message is none.
        pace.CountsMessages |= messages != Unknown;
        _polls += PollsPerRead;
        _hasReadBulk |= bytes >= MinBulkBytes;
        if (more)
        {
            pace.ResumesAt = _polls + (pace.CountsMessages ? Math.Min(pause, messages / MessagesPerPoll) : pause);
        }
        else if (hasReplies && bytes <= MaxInteractiveBytes)
        {
            // It says which of them it was too: no two reads have the same count.
            pace.LastInteractive = _lastInteractive = _polls;
        }
    }

    /// <summary>Whether to leave a connection that can be read for a later turn. Whoever asks must see to it that it is reported again.</summary>
    internal bool ShouldDefer(in Pace pace) => pace.ResumesAt > _polls && OthersAreInteractive(pace);

    /// <summary>Whether the last to send little was somebody else, not long ago.</summary>
    internal bool OthersAreInteractive(in Pace pace) => pace.LastInteractive != _lastInteractive && HasInteractive;

    /// <summary>What a connection keeps for this.</summary>
    internal struct Pace
    {
        /// <summary>The count of looks before which it is not read beside quiet ones.</summary>
        internal long ResumesAt;

        /// <summary>Whether its handler says how many messages a read holds.</summary>
        internal bool CountsMessages;

        /// <summary>The count at its last small read.</summary>
        internal long LastInteractive;
    }
}
