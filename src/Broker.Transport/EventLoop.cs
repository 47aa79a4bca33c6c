using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using Broker.Transport.Buffers;

namespace Broker.Transport;

/// <summary>
/// One thread that waits for the events of its connections, calls their handlers, and at the end of each turn hands what
/// they wrote to the connections it is for, each once.
/// </summary>
/// <remarks>
/// The thread is the loop's own, or one of the application's that turns the loop itself (<see cref="RunOnce"/>). Everything a
/// handler does happens on this thread, so that a protocol needs no lock for what belongs to connections of one loop. A turn: wait, handle at most a few reads of each ready connection, run what was posted and what is due, hand over.
/// </remarks>
public sealed partial class EventLoop
{
    // A loop that polled this many times for nothing waits for events to come close together again before it polls on.
    private const int PollCredit = 8;

    private static readonly TimeSpan ShortSleep = TimeSpan.FromMicroseconds(100);

    private readonly Thread? _thread;
    private readonly string _name;
    private readonly Poller _poller;
    private readonly int _idlePolls;
    private byte[]? _cipherBuffer;
    private int _threadId;
    private volatile bool _stopping;

    // Connections whose next bytes may come at once.
    private int _spinning;

    internal EventLoop(EventLoopGroup group, int index, EventLoopOptions options, int idlePolls)
    {
        Group = group;
        Index = index;
        Blocks = new LoopBlockPool(group.SharedBlocks) { TrimLater = TrimBlocksLater };
        ReceiveBuffer = GC.AllocateUninitializedArray<byte>(options.ReceiveBufferSize, pinned: true);
        _idlePolls = idlePolls;
        Pacing = new Pacing(options.BulkPause ?? Pacing.DefaultPauseFor(Environment.ProcessorCount));
        _time = options.TimeProvider == TimeProvider.System ? null : options.TimeProvider;
        LastTick = Now;
        _poller = Poller.Create(options.ForcePortable);
        _name = $"{options.ThreadName} {index}";
        _thread = options.CallerDriven ? null : new Thread(Run) { IsBackground = true, Name = _name };
    }

    /// <summary>The group this loop belongs to.</summary>
    public EventLoopGroup Group { get; }

    /// <summary>Its number in the group.</summary>
    public int Index { get; }

    /// <summary>
    /// Whether the caller is on this loop's thread. A loop that its caller drives has none before <see cref="Attach"/> or the first
    /// <see cref="RunOnce"/>; between two turns the thread is the loop's too.
    /// </summary>
    public bool IsCurrent => Environment.CurrentManagedThreadId == _threadId;

    /// <summary>
    /// <see cref="Environment.TickCount64"/> as the loop last saw it: when it woke, and under load after a few dozen reads or sends. For handlers
    /// that want to know about when something happened and must not read a clock for it. With an
    /// <see cref="EventLoopOptions.TimeProvider"/> of the application it is the milliseconds of that one. On this loop's thread.
    /// </summary>
    public long LastTick { get; private set; }

    /// <exception cref="InvalidOperationException">The caller is on another thread than this loop's.</exception>
    internal void RequireCurrent()
    {
        if (!IsCurrent)
        {
            RejectThread();
        }
    }

    internal LoopBlockPool Blocks { get; }

    /// <summary>Where every connection of this loop receives: only what is left unconsumed is kept per connection.</summary>
    internal byte[] ReceiveBuffer { get; }

    /// <summary>Where connections of this loop receive what is still to be decrypted.</summary>
    internal byte[] CipherBuffer => _cipherBuffer ??= GC.AllocateUninitializedArray<byte>(ReceiveBuffer.Length, pinned: true);

    /// <summary>What decides whom to read now. On the loop.</summary>
    internal Pacing Pacing { get; }

    /// <summary>How many messages handlers have counted since the read began; <see cref="Pacing.Unknown"/> when none has. On the loop.</summary>
    internal long MessagesHandled { get; set; }

    /// <summary>How many received bytes were copied because they could not be handled where they came. On the loop.</summary>
    internal long BytesMoved { get; set; }

    /// <summary>How many bytes sockets and pipes of this loop have received. On the loop.</summary>
    internal long BytesReceived { get; set; }

    internal Poller Poller => _poller;

    /// <summary>So many more connections make it worth while to look a few times before the loop sleeps. On the loop.</summary>
    internal void AddSpinning(int more) => _spinning += more;

    // Without what flows with the caller, as its current activity: a loop outlives it, and serves others.
    internal void Start() => _thread?.UnsafeStart();

    /// <summary>Gives back what the loop holds, when it is not to be started.</summary>
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
            $"This belongs to the event loop '{_name}' and may be used on its thread only; post an action to the loop instead.");

    private void Run()
    {
        _threadId = Environment.CurrentManagedThreadId;
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

    // What one turn does once it is known what is ready. Never part of the caller's frame: what this turn handled last (a connection, an action
    // and what it leads to) would stay in that frame's slots while the loop sleeps, and the collector could not have it.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void RunIteration(int ready)
    {
        Pacing.BeginReads();
        int again = _yielded.Count;
        if (ready > 0)
        {
            _poller.Dispatch(ready);
        }

        RunPosted();
        RunTimers();
        RunShortTimers();
        // Before those go on whose work is large: nobody's answer waits for that.
        Flush(again);
        if (again > 0)
        {
            DeliverYielded(again);
        }
    }

    private void End()
    {
        while (_flushScheduler.Count > 0)
        {
            FlushWriteBuffers();
        }

        // What was posted before goes first: a connection that waits to be opened is opened, and then closed like the others.
        RunPosted();
        foreach (Connection connection in Group.ConnectionsOf(this))
        {
            connection.CloseOnLoop(CloseReason.Shutdown, null, TimeSpan.Zero);
        }

        AwaitSenders();
        RunLastPosted();
        // What these wrote is discarded, and told.
        FlushWriteBuffers();
        _alarm?.Dispose();
        _poller.Dispose();
        // The number goes to the next thread that is made, which is not this loop.
        _threadId = 0;
    }

    // Polls while that pays, then sleeps, no longer than the milliseconds given. Returns the credit for the next time.
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

        // Clocks are looked at only here, where the thread sleeps anyway. A sleep shorter than what it costs to fall asleep and to
        // wake was not worth it.
        long before = Stopwatch.GetTimestamp();
        int milliseconds = MillisecondsToSleep(most);
        ready = IsShortTimerDueWithin(milliseconds, before, out TimeSpan brief) ? _poller.WaitShort(brief) : _poller.Wait(milliseconds);
        LastTick = Now;
        return Stopwatch.GetElapsedTime(before) < ShortSleep ? PollCredit : credit;
    }
}
