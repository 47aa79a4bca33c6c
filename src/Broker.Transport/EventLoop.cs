using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;

namespace Broker.Transport;

/// <summary>
/// Waits for the events of its connections on one thread, calls their handlers, and flushes what they wrote to each
/// connection once at the end of each iteration.
/// </summary>
/// <remarks>
/// The thread belongs to the loop, or it is a thread of the application that runs the loop itself
/// (<see cref="RunOnce"/>). A handler runs on this thread only, so a protocol needs no lock for state that belongs to
/// connections of one loop. An iteration waits, handles a few reads at most of each ready connection, runs posted
/// actions and due timers, and flushes.
/// </remarks>
public sealed partial class EventLoop
{
    // How long a loop that ends waits for threads that still send for its connections.
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
    /// the first <see cref="RunOnce"/>; between two iterations it still has its thread.
    /// </summary>
    public bool IsCurrent => Environment.CurrentManagedThreadId == _threadId;

    /// <summary>
    /// Whether the caller is on the thread of an event loop, of any group. Code on such a thread must not block,
    /// because all connections of the loop would wait. A thread that drives a loop of its own does not count.
    /// </summary>
    public static bool IsLoopThread => _isLoopThread;

    /// <summary>
    /// The value of <see cref="Environment.TickCount64"/> when the loop last read it: when it woke, and under load
    /// after a few dozen reads or sends. For handlers that need to know roughly when something happened without
    /// reading a clock. With an <see cref="EventLoopOptions.TimeProvider"/> of the application it is the milliseconds
    /// of that provider. On this loop's thread.
    /// </summary>
    public long LastTick => _timers.LastTick;

    /// <exception cref="InvalidOperationException">The caller is on another thread than this loop's.</exception>
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
    /// How many messages handlers have reported since the current read began; <see cref="Pacing.Unknown"/> if no
    /// handler has. On the loop.
    /// </summary>
    internal long MessagesHandled { get; set; }

    /// <summary>
    /// How many received bytes were copied because they could not be handled in the buffer they arrived in. On the
    /// loop.
    /// </summary>
    internal long BytesMoved { get; set; }

    /// <summary>How many bytes sockets and pipes of this loop have received. On the loop.</summary>
    internal long BytesReceived { get; set; }

    internal Poller Poller => _poller;

    private bool HasWork => !_posted.IsEmpty || !_work.IsEmpty;

    /// <summary>Changes the number of connections for which the loop polls before it sleeps. On the loop.</summary>
    internal void AddSpinning(int more) => _wait.AddSpinning(more);

    // Unsafe: the caller's ExecutionContext (its current activity, for example) must not flow to the loop, which
    // serves other callers too.
    internal void Start() => _thread?.UnsafeStart();

    /// <summary>Releases the loop's resources if the loop is not to be started.</summary>
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

    // One iteration after the wait. Never inlined: references to what this iteration handled last (a connection, an
    // action) would stay in slots of the caller's frame while the loop sleeps, and the garbage collector could not
    // free them.
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
        // Before handlers with much work continue, so that no reply waits for that work.
        _work.Flush(again);
        _work.Continue(again);
    }

    private void End()
    {
        while (_work.FlushBacklog > 0)
        {
            _work.FlushOnce();
        }

        // Actions that were posted before go first: a connection that waits to be opened is opened, and then closed
        // like the others.
        _posted.Run(this);
        foreach (Connection connection in Group.ConnectionsOf(this))
        {
            connection.CloseOnLoop(CloseReason.Shutdown, null, TimeSpan.Zero);
        }

        AwaitSenders();
        _posted.RunLast(this);
        // Bytes that these actions wrote are discarded and reported as discarded.
        _work.FlushOnce();
        _timers.Dispose();
        _poller.Dispose();
        // The system gives the number to the next thread that starts, which is not this loop.
        _threadId = 0;
    }

    // Reports the end of connections that another thread was sending for when they were closed, if that thread is done
    // soon. It does not wait longer, because such a thread may be in a pipe whose reader waits for this loop to end.
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
