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
    // After this many waits whose polls found nothing, the loop stops polling until events come close together again.
    private const int PollCredit = 8;

    private static readonly TimeSpan ShortSleep = TimeSpan.FromMicroseconds(100);

    [ThreadStatic]
    private static bool _isLoopThread;

    private readonly Thread? _thread;
    private readonly string _name;
    private readonly Poller _poller;
    private readonly int _idlePolls;
    private byte[]? _cipherBuffer;
    private int _threadId;
    private volatile bool _stopping;

    // The number of connections whose next bytes are likely to come at once.
    private int _spinning;

    internal EventLoop(EventLoopGroup group, int index, EventLoopOptions options, int idlePolls)
    {
        Group = group;
        Index = index;
        Blocks = new LoopBlockPool(group.SharedBlocks) { TrimLater = TrimBlocksLater };
        ReceiveBuffer = GC.AllocateUninitializedArray<byte>(options.ReceiveBufferSize, pinned: true);
        _idlePolls = idlePolls;
        Pacing = new Pacing(options.BulkPause ?? Pacing.DefaultPauseFor(Environment.ProcessorCount));
        _poller = Poller.Create(options.ForcePortable);
        _timers = new TimerQueue(options.TimeProvider, _poller);
        _posted = new PostQueue(_poller);
        _name = $"{options.ThreadName} {index}";
        _thread = options.CallerDriven ? null : new Thread(Run) { IsBackground = true, Name = _name };
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

    /// <summary>
    /// The buffer into which every connection of this loop receives. Each connection keeps a copy of unconsumed bytes
    /// only.
    /// </summary>
    internal byte[] ReceiveBuffer { get; }

    /// <summary>The buffer into which connections of this loop receive ciphertext.</summary>
    internal byte[] CipherBuffer => _cipherBuffer ??= GC.AllocateUninitializedArray<byte>(ReceiveBuffer.Length, pinned: true);

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

    /// <summary>Changes the number of connections for which the loop polls before it sleeps. On the loop.</summary>
    internal void AddSpinning(int more) => _spinning += more;

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
        int credit = PollCredit;
        while (!_stopping)
        {
            int ready = _poller.Wait(0);
            Pacing.CountPoll();
            if (ready == 0 && !HasWork)
            {
                credit = WaitForEvents(credit, Timeout.Infinite, ref ready);
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
        _costlySteps = 0;
        int again = _yielded.Count;
        if (ready > 0)
        {
            _poller.Dispatch(ready);
        }

        _posted.Run(this);
        _timers.Run(this);
        _timers.RunShort(this);
        // Before handlers with much work continue, so that no reply waits for that work.
        Flush(again);
        if (again > 0)
        {
            DeliverYielded(again);
        }

        if (_waitingForStep.Count > 0)
        {
            RunCostlySteps();
        }
    }

    private void End()
    {
        while (_flushScheduler.Count > 0)
        {
            FlushWriteBuffers();
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
        FlushWriteBuffers();
        _timers.Dispose();
        _poller.Dispose();
        // The system gives the number to the next thread that starts, which is not this loop.
        _threadId = 0;
    }

    // Polls if that is worth while, then sleeps for at most the given milliseconds. Returns the poll credit for the
    // next wait.
    private int WaitForEvents(int credit, int most, ref int ready)
    {
        if (credit > 0 && _spinning > 0 && Pacing.ShouldPoll)
        {
            for (int i = 0; i < _idlePolls; i++)
            {
                ready = _poller.Wait(0);
                Pacing.CountPoll();
                if (ready != 0)
                {
                    return PollCredit;
                }
            }

            credit--;
        }

        // The clock is read only here, where the thread sleeps anyway. A sleep that was shorter than the cost of
        // falling asleep and waking up was not worth while.
        long before = Stopwatch.GetTimestamp();
        int milliseconds = _timers.MillisecondsToSleep(most);
        ready = _timers.IsShortDueWithin(milliseconds, before, out TimeSpan untilShort)
            ? _poller.WaitShort(untilShort)
            : _poller.Wait(milliseconds);
        _timers.ReadClock();
        return Stopwatch.GetElapsedTime(before) < ShortSleep ? PollCredit : credit;
    }
}
