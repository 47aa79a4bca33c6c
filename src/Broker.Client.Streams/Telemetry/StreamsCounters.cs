using System.Diagnostics;

namespace Broker.Client.Streams;

/// <summary>
/// Counts for the statistics and the meter of a client of streams. Each group of counters says who writes it.
/// </summary>
internal sealed class StreamsCounters
{
    private long _acks;
    private long _naks;
    private long _terminations;
    private long _progressReports;
    private long _pulls;
    private long _recreated;
    private long _resumptions;
    private long _finished;

    /// <summary>The histograms of a meter. Null without one.</summary>
    internal IStreamsHistograms? Histograms { get; set; }

    /// <summary>Written under the publisher's lock, like the following ones.</summary>
    internal long Acknowledged { get; set; }

    internal long Duplicates { get; set; }

    internal long Refused { get; set; }

    internal long Unknown { get; set; }

    internal long Repeats { get; set; }

    /// <summary>Written on the connection's loop, like the following ones.</summary>
    internal long Received { get; set; }

    internal long Redelivered { get; set; }

    internal long Queued { get; set; }

    /// <summary>Adds the counters of consumers to those of the publisher.</summary>
    internal StreamsStatistics Read(long inFlight) => new()
    {
        Acknowledged = Acknowledged,
        Duplicates = Duplicates,
        Refused = Refused,
        UnknownOutcomes = Unknown,
        Repeats = Repeats,
        InFlight = inFlight,
        // A message is received before it is finished, so this order gives no negative number.
        Pending = -Interlocked.Read(ref _finished) + Queued,
        Received = Received,
        Redelivered = Redelivered,
        Acks = Interlocked.Read(ref _acks),
        Naks = Interlocked.Read(ref _naks),
        Terminations = Interlocked.Read(ref _terminations),
        ProgressReports = Interlocked.Read(ref _progressReports),
        Pulls = Interlocked.Read(ref _pulls),
        Recreated = Interlocked.Read(ref _recreated),
        Resumptions = Interlocked.Read(ref _resumptions),
    };

    /// <summary>Returns the time at which a publish began. 0 if nobody measures its duration.</summary>
    internal long BeginPublish() => Histograms is { MeasuresPublishes: true } ? Stopwatch.GetTimestamp() : 0;

    /// <summary>Counts the outcome of a publish. Called under the publisher's lock.</summary>
    /// <param name="began">The result of <see cref="BeginPublish"/>.</param>
    /// <param name="isDuplicate">Whether the stream had stored the message before.</param>
    /// <param name="failure">The error. Null for an acknowledged message.</param>
    /// <param name="isUnknown">Whether the message may be stored nevertheless.</param>
    internal void EndPublish(long began, bool isDuplicate, Exception? failure, bool isUnknown)
    {
        if (isUnknown)
        {
            Unknown++;
        }
        else if (failure is not null)
        {
            Refused++;
        }
        else
        {
            Acknowledged++;
            Duplicates += isDuplicate ? 1 : 0;
        }

        if (began != 0)
        {
            Histograms?.RecordPublish(Stopwatch.GetElapsedTime(began), failure);
        }
    }

    /// <summary>Counts a message that a consumer has delivered. Called on the loop.</summary>
    /// <param name="delivered">How often the message has been delivered.</param>
    internal void Receive(ulong delivered)
    {
        Received++;
        if (delivered > 1)
        {
            Redelivered++;
        }
    }

    /// <summary>Counts messages that a reader has finished.</summary>
    internal void Finish(long messages) => Interlocked.Add(ref _finished, messages);

    /// <summary>Counts an acknowledgement by its text, such as <c>+ACK</c>.</summary>
    internal void Acknowledge(ReadOnlySpan<byte> kind)
    {
        switch (kind[1])
        {
            case (byte)'A':
                Interlocked.Increment(ref _acks);
                break;
            case (byte)'N':
                Interlocked.Increment(ref _naks);
                break;
            case (byte)'T':
                Interlocked.Increment(ref _terminations);
                break;
            default:
                Interlocked.Increment(ref _progressReports);
                break;
        }
    }

    internal void Pull() => Interlocked.Increment(ref _pulls);

    internal void Recreate() => Interlocked.Increment(ref _recreated);

    /// <summary>Counts the first sign of a consumer after the loss of its server.</summary>
    /// <param name="lostAt">The time of the loss in <see cref="Stopwatch"/> ticks.</param>
    internal void Resume(long lostAt)
    {
        Interlocked.Increment(ref _resumptions);
        Histograms?.RecordSilence(Stopwatch.GetElapsedTime(lostAt));
    }
}
