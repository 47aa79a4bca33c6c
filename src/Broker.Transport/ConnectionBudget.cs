using System.ComponentModel;

namespace Broker.Transport;

/// <summary>
/// Keeps the sockets that listeners accept under the number of files that the system lets the process open, less a reserve: a
/// process that has none left can neither start a thread nor open a file, and the runtime ends it where it must.
/// </summary>
/// <remarks>
/// <para>Whoever accepts a connection asks <see cref="TryTake"/>, closes the connection at once when that says no, and calls
/// <see cref="Release"/> once the connection is gone. All listeners of a program share one, or have one each: what counts is what the
/// process really has open, whoever opened it. That is looked at again and again as the limit comes nearer, and not for each
/// connection.</para>
/// <para>Thread-safe. Where the system has no such limit (Windows), nothing is ever refused.</para>
/// </remarks>
public sealed class ConnectionBudget
{
    // A look costs about a microsecond for each open file: while there are none, not more often than that.
    private static readonly TimeSpan RecountInterval = TimeSpan.FromMilliseconds(20);

    // Refusals closer together than that are one rush.
    private static readonly TimeSpan RefusalPause = TimeSpan.FromSeconds(10);

    private readonly Lock _gate = new();
    private readonly Func<int> _countOpen;
    private readonly TimeProvider _time;
    private readonly long _most;
    private long _allowed;
    private long _taken;
    private long _refused;
    private long? _failedCountAt;
    private long? _refusedLast;

    /// <summary>A budget of what this process may have open.</summary>
    /// <param name="reserve">
    /// How many files are left to everything else: threads, files that are read, connections that are made. Default: 64, and an eighth of
    /// the limit where that is less.
    /// </param>
    public ConnectionBudget(int? reserve = null)
        : this(OpenFiles.Limit(), reserve, OpenFiles.Count, TimeProvider.System)
    {
    }

    internal ConnectionBudget(long? limit, int? reserve, Func<int> countOpen, TimeProvider time)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(reserve ?? 0, nameof(reserve));
        Limit = limit;
        _most = limit is { } files ? Math.Max(0, files - (reserve ?? Math.Min(64, files / 8))) : long.MaxValue;
        _countOpen = countOpen;
        _time = time;
    }

    /// <summary>How many files the process may have open; null where there is no limit. As it was when this was made.</summary>
    public long? Limit { get; }

    /// <summary>How many connections have been taken and not released.</summary>
    public long Taken => Interlocked.Read(ref _taken);

    /// <summary>How many connections have been refused so far.</summary>
    public long Refused => Interlocked.Read(ref _refused);

    /// <summary>
    /// Raised at the first refusal, and again at the first after ten seconds without any: for one line in a log and not thousands. Who has
    /// written that line sets <see cref="HandledEventArgs.Handled"/>, so that a server and a bridge that share this do not both write it.
    /// On the thread that was refused; a handler must not throw.
    /// </summary>
    public event EventHandler<HandledEventArgs>? Exhausted;

    /// <summary>Whether a connection that has just been accepted may stay; <see cref="Release"/> must follow then, once.</summary>
    public bool TryTake()
    {
        bool isFirst;
        lock (_gate)
        {
            if (_allowed > 0 || Limit is null || UpdateAllowance())
            {
                _allowed--;
                _taken++;
                return true;
            }

            _refused++;
            isFirst = _refusedLast is not { } last || _time.GetElapsedTime(last) >= RefusalPause;
            _refusedLast = _time.GetTimestamp();
        }

        if (isFirst)
        {
            Exhausted?.Invoke(this, new HandledEventArgs());
        }

        return false;
    }

    /// <summary>A connection that was taken is closed.</summary>
    public void Release()
    {
        lock (_gate)
        {
            _taken--;
            _allowed++;
        }
    }

    // Half of what is free, so that several of these and whatever else opens files come to the limit in ever smaller steps.
    private bool UpdateAllowance()
    {
        if (_failedCountAt is { } last && _time.GetElapsedTime(last) < RecountInterval)
        {
            return false;
        }

        // The connection that asks is open already.
        long free = _most - _countOpen();
        _allowed = free < 0 ? 0 : (free / 2) + 1;
        _failedCountAt = _allowed == 0 ? _time.GetTimestamp() : null;
        return _allowed > 0;
    }
}
