using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;

namespace Broker.Transport;

/// <summary>
/// Waits for the events of its connections on one thread and calls their handlers. At the end of each iteration, the
/// loop flushes the bytes that the handlers wrote, once for each connection.
/// </summary>
/// <remarks>
/// The thread belongs to the loop, or it is a thread of the application that runs the loop itself
/// (<see cref="RunOnce"/>). Handlers run only on this thread, so a protocol needs no lock for state that belongs to
/// connections of one loop. An iteration waits, handles at most a few reads of each ready connection, runs posted
/// actions and due timers, and flushes.
/// </remarks>
public sealed partial class EventLoop
{
    // A loop that ends waits this long for other threads that still send for its connections.
    private static readonly TimeSpan SenderGrace = TimeSpan.FromSeconds(1);

    [ThreadStatic]
    private static bool _isLoopThread;

    private readonly string _name;
    private readonly Poller _poller;
    private readonly TimerQueue _timers;
    private readonly PostQueue _posted;
    private readonly IterationWork _work;
    private readonly IdleWait _wait;

    // The loop has either a thread of its own or a driver.
    private readonly Thread? _thread;
    private readonly LoopDriver? _driver;
    private int _threadId;
    private volatile bool _stopping;

    internal EventLoop(EventLoopGroup group, int index, EventLoopOptions options, int idlePolls)
    {
        Group = group;
        Index = index;
        Blocks = new LoopBlockPool(group.SharedBlocks);
        Blocks.TrimLater = new BlockTrimmer(this, Blocks.Trim, group.SharedBlocks.Discarder).StartLater;
        ReceiveBuffers = new ReceiveBuffers(options.ReceiveBufferSize);
        Pacing = new Pacing(options.BulkPause ?? Pacing.DefaultPauseFor(Environment.ProcessorCount));
        _poller = SystemPoller.Create(options.ForcePortable);
        _timers = new TimerQueue(options.TimeProvider, _poller);
        _posted = new PostQueue(_poller);
        _work = new IterationWork(this);
        _wait = new IdleWait(_poller, _timers, Pacing, idlePolls);
        _name = $"{options.ThreadName} {index}";
        if (options.CallerDriven)
        {
            _driver = new LoopDriver(_name, group);
        }
        else
        {
            _thread = new Thread(Run) { IsBackground = true, Name = _name };
        }
    }

    /// <summary>The group that this loop belongs to.</summary>
    public EventLoopGroup Group { get; }

    /// <summary>The loop's number in the group.</summary>
    public int Index { get; }

    /// <summary>
    /// Whether the caller is on this loop's thread. A caller-driven loop has no thread before <see cref="Attach"/> or
    /// the first <see cref="RunOnce"/>. Between two iterations, it keeps its thread.
    /// </summary>
    public bool IsCurrent => Environment.CurrentManagedThreadId == _threadId;

    /// <summary>
    /// Whether the caller is on the thread of an event loop of any group. Code on such a thread must not block, because
    /// all connections of the loop would wait. The thread of a caller-driven loop does not count.
    /// </summary>
    public static bool IsLoopThread => _isLoopThread;

    /// <summary>
    /// The value of <see cref="Environment.TickCount64"/> when the loop last read it: when the loop woke, and under
    /// load after every few dozen reads or sends. This is for handlers that need an approximate time without reading a
    /// clock. If the application has set <see cref="EventLoopOptions.TimeProvider"/>, the value is in milliseconds of
    /// that provider. On this loop's thread.
    /// </summary>
    public long LastTick => _timers.LastTick;

    /// <exception cref="InvalidOperationException">The caller is not on this loop's thread.</exception>
    internal void RequireCurrent()
    {
        if (!IsCurrent)
        {
            RejectThread();
        }
    }

    internal LoopBlockPool Blocks { get; }

    internal ReceiveBuffers ReceiveBuffers { get; }

    /// <summary>Decides which connections are read now. On the loop.</summary>
    internal Pacing Pacing { get; }

    /// <summary>
    /// The number of messages that handlers have reported since the current read began. <see cref="Pacing.Unknown"/> if
    /// no handler has reported a number. On the loop.
    /// </summary>
    internal long MessagesHandled { get; set; }

    /// <summary>
    /// The number of received bytes that were copied, because they could not be handled in the buffer in which they
    /// arrived. On the loop.
    /// </summary>
    internal long BytesMoved { get; set; }

    /// <summary>The number of bytes that sockets and pipes of this loop have received. On the loop.</summary>
    internal long BytesReceived { get; set; }

    internal Poller Poller => _poller;

    private bool HasWork => !_posted.IsEmpty || !_work.IsEmpty;

    /// <summary>Changes the number of connections that let the loop poll before it sleeps. On the loop.</summary>
    internal void AddSpinning(int more) => _wait.AddSpinning(more);

    // The method is unsafe because the caller's ExecutionContext (for example its current activity) must not flow to
    // the loop, which also serves other callers.
    internal void Start() => _thread?.UnsafeStart();

    /// <summary>Releases the loop's resources if the loop will not be started.</summary>
    internal void Abandon() => _poller.Dispose();

    internal void Stop()
    {
        _stopping = true;
        _poller.Wake();
    }

    internal void Join() => _thread?.Join();

    [DoesNotReturn]
    private void RejectThread()
        => throw new InvalidOperationException(
            $"The event loop '{_name}' may be used on its own thread only; on other threads, post an action to the loop.");

    private void Run()
    {
        _threadId = Environment.CurrentManagedThreadId;
        _isLoopThread = true;
        while (!_stopping)
        {
            int ready = _poller.Wait(0);
            Pacing.CountPoll();
            if (ready == 0 && !HasWork)
            {
                ready = _wait.Wait(Timeout.Infinite);
            }

            RunIteration(ready);
        }

        End();
    }

    // Runs one iteration after the wait. The method is never inlined. Otherwise references to the connection or action
    // that this iteration handled last would stay in the caller's frame while the loop sleeps, and the garbage
    // collector could not free these objects.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void RunIteration(int ready)
    {
        Pacing.BeginReads();
        int again = _work.BeginIteration();
        if (ready > 0)
        {
            _poller.Dispatch(ready);
        }

        _posted.Run(this);
        _timers.Run(this);
        _timers.RunShort(this);
        // The flush comes before handlers with much work continue, so that no reply waits for that work.
        _work.Flush(again);
        _work.Continue(again);
    }

    private void End()
    {
        while (_work.FlushBacklog > 0)
        {
            _work.FlushOnce();
        }

        // Actions that were posted earlier run first. So a connection that waits to be opened is opened, and then
        // closed like the others.
        _posted.Run(this);
        foreach (Connection connection in Group.ConnectionsOf(this))
        {
            connection.CloseOnLoop(CloseReason.Shutdown, null, TimeSpan.Zero);
        }

        AwaitSenders();
        _posted.RunLast(this);
        // Bytes that the last actions wrote are discarded, and reported as discarded.
        _work.FlushOnce();
        _timers.Dispose();
        _poller.Dispose();
        // The system may give the same thread id to the next thread that starts, and that thread is not this loop's.
        _threadId = 0;
    }

    // When a connection was closed, another thread may have been sending for it. Waits for such threads and reports the
    // end of these connections. The wait has a limit, because such a thread may be in a pipe whose reader waits for
    // this loop to end.
    private void AwaitSenders()
    {
        long before = Stopwatch.GetTimestamp();
        SpinWait wait = default;
        while (Group.ConnectionsOf(this).Length != 0 && Stopwatch.GetElapsedTime(before) < SenderGrace)
        {
            _posted.Run(this);
            wait.SpinOnce();
        }
    }
}
