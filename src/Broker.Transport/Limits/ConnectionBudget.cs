using System.ComponentModel;

namespace Broker.Transport;

/// <summary>
/// Keeps the number of accepted sockets below the system's limit of open files for the process, minus a reserve. A
/// process without free descriptors cannot start a thread or open a file. If the runtime itself needs a descriptor
/// then, it terminates the process.
/// </summary>
/// <remarks>
/// <para>Code that accepts a connection calls <see cref="TryTake"/>. If the result is false, it closes the connection
/// at once. If the result is true, it calls <see cref="Release"/> after the connection is closed. The listeners of a
/// program can share one budget or have one budget each, because a budget counts all files that the process really has
/// open. The budget does not count for each connection: the closer the number comes to the limit, the more often the
/// budget counts.</para>
/// <para>Thread-safe. On systems without a limit (Windows), no connection is ever refused.</para>
/// </remarks>
public sealed class ConnectionBudget
{
    // Counting costs about a microsecond for each open file. If a count has found no free descriptor, it is not
    // repeated within this time.
    private static readonly TimeSpan RecountInterval = TimeSpan.FromMilliseconds(20);

    // The time without refusals after which the next refusal is reported again.
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

    /// <summary>Creates a budget for the files that this process may open.</summary>
    /// <param name="reserve">
    /// The number of files that are left for other uses: threads, files, and outgoing connections. Default: 64, or an
    /// eighth of the limit if that is less.
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

    /// <summary>
    /// The number of files that the process may open, as it was when this object was created; null if there is no
    /// limit.
    /// </summary>
    public long? Limit { get; }

    /// <summary>The number of connections that have been taken and not released.</summary>
    public long Taken => Interlocked.Read(ref _taken);

    /// <summary>The number of connections that have been refused so far.</summary>
    public long Refused => Interlocked.Read(ref _refused);

    /// <summary>
    /// Raised at the first refusal, and again at the first refusal after ten seconds without refusals. So a log gets
    /// one line and not thousands. A handler that has written the line sets <see cref="HandledEventArgs.Handled"/>, so
    /// that only one of several servers and bridges that share the budget writes it. Raised on the thread whose
    /// connection was refused. A handler must not throw.
    /// </summary>
    public event EventHandler<HandledEventArgs>? Exhausted;

    /// <summary>
    /// Asks for permission to keep a connection that has just been accepted. If the result is false, the caller must
    /// close the connection. If it is true, the caller must call <see cref="Release"/> once later.
    /// </summary>
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

    /// <summary>Returns the permission of a connection that is closed.</summary>
    public void Release()
    {
        lock (_gate)
        {
            _taken--;
            _allowed++;
        }
    }

    // Allows half of the free descriptors. Other budgets and other code open files too, so all of them approach the
    // limit in ever smaller steps.
    private bool UpdateAllowance()
    {
        if (_failedCountAt is { } last && _time.GetElapsedTime(last) < RecountInterval)
        {
            return false;
        }

        // The connection that asks is already open, so the count includes it.
        long free = _most - _countOpen();
        _allowed = free < 0 ? 0 : (free / 2) + 1;
        _failedCountAt = _allowed == 0 ? _time.GetTimestamp() : null;
        return _allowed > 0;
    }
}
