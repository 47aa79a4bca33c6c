using Broker.ZeroMq;

namespace Broker.NetMQ;

/// <summary>
/// Passes messages of the program to the socket that leads to the route. If that socket is full, the pump takes its
/// handler off the program's event, so that the programs behind it wait as they would for a slow receiver.
/// </summary>
internal abstract class IncomingPump<TSocket> : Pump
    where TSocket : MessageSocket, ISendingSocket
{
    private static readonly TimeSpan ServerCheckInterval = TimeSpan.FromMilliseconds(100);

    private readonly Action _resume;
    private readonly IDisposable _watch;
    private readonly StreamWindow? _window;
    private readonly Lock _subscribing = new();
    private IDisposable? _subscriptions;
    private bool _hasBegun;
    private Timer? _serverCheck;
    private ZeroMqMessage? _last;

    // Whether a message was taken and not passed on yet.
    private bool _hasMessage;

    // Whether the message is being sent, and whether room was reported meanwhile.
    private bool _isPassing;
    private bool _hasRoomAgain;

    private bool _isPaused;
    private int _resumePosted;

    // The messages that were taken since all messages of the program's object were taken.
    private int _collected;

    /// <param name="owner">The attachment.</param>
    /// <param name="target">The socket that leads to the route.</param>
    /// <param name="isOneWay">
    /// Whether no reply follows the messages. Then they may be collected for a millisecond if they follow each other
    /// closely.
    /// </param>
    private protected IncomingPump(NetMQAttachment owner, TSocket target, bool isOneWay)
        : base(owner)
    {
        Target = target;
        _resume = Resume;
        _watch = target.WatchRoom(OnRoom);
        _window = isOneWay ? new StreamWindow(owner.Thread, EndWindow) : null;
    }

    private protected TSocket Target { get; }

    internal override void Start()
    {
        if (Target is not XPublisherSocket publisher)
        {
            Begin();
        }
        else if (!IsStopped)
        {
            // An XPUB drops what nobody has subscribed to, so that the pump begins when the route has subscribed.
            _subscriptions = publisher.WatchMessages(() => OnSubscriptions(publisher));
        }
    }

    public override void Dispose()
    {
        _watch.Dispose();
        _subscriptions?.Dispose();
        _serverCheck?.Dispose();
        _window?.Dispose();
    }

    /// <summary>
    /// Waits until the route's side has taken the message that was left when the pump was stopped. Called after
    /// <see cref="Pump.Stop"/>.
    /// </summary>
    internal async Task PassLastAsync(CancellationToken cancellation)
    {
        if (_last is not { } last)
        {
            return;
        }

        _last = null;
        try
        {
            await Target.SendAsync(last, cancellation).ConfigureAwait(false);
            CountPassed();
        }
        catch (Exception e) when (e is OperationCanceledException or ObjectDisposedException)
        {
            CountDropped();
        }

        last.Dispose();
    }

    private protected override void StopCore()
    {
        Owner.IsPaused = false;
        _window?.Dispose();
        try
        {
            Unlisten();
        }
        catch (ObjectDisposedException)
        {
            // The program has disposed its socket, which calls no handlers any more.
        }

        _last = _hasMessage ? KeepTaken() : null;
        Close();
    }

    /// <summary>Attaches the handler to the event of the program's object.</summary>
    private protected abstract void Listen();

    /// <summary>Removes the handler.</summary>
    private protected abstract void Unlisten();

    /// <summary>Takes a message. Returns false if there is none.</summary>
    private protected abstract bool TryTake();

    /// <summary>Sends the message that was taken. Returns false if the target has no room.</summary>
    private protected abstract bool TrySendTaken();

    /// <summary>Releases the message that was taken.</summary>
    private protected abstract void ReleaseTaken();

    /// <summary>Copies the message that was taken.</summary>
    private protected abstract ZeroMqMessage KeepTaken();

    /// <summary>Closes the messages of the pump.</summary>
    private protected abstract void Close();

    /// <summary>Passes on what the program's object has. Called by the handler.</summary>
    private protected void Forward()
    {
        // NetMQ ends the process if a handler throws.
        try
        {
            ForwardBatch();
        }
        catch (Exception x) when (x is not OutOfMemoryException)
        {
            Owner.Fail(x);
        }
    }

    private void ForwardBatch()
    {
        if (Owner.MustWaitForServer)
        {
            Pause();
            return;
        }

        for (int left = Owner.Options.BatchSize; left > 0 && !IsStopped; left--)
        {
            if (!_hasMessage)
            {
                if (!TryTake())
                {
                    Collect();
                    return;
                }

                _hasMessage = true;
                _collected++;
                CountTaken();
            }

            if (!TryPass())
            {
                Pause();
                return;
            }
        }
    }

    // All messages are taken. If more follow closely, the handler comes back to the event at the end of a window.
    private void Collect()
    {
        int messages = _collected;
        _collected = 0;
        if (_window is { } window && window.TryBegin(messages))
        {
            Unlisten();
        }
    }

    private void EndWindow()
    {
        try
        {
            Begin();
        }
        catch (Exception x) when (x is not OutOfMemoryException)
        {
            Owner.Fail(x);
        }
    }

    private void Begin()
    {
        if (!IsStopped)
        {
            Listen();
        }
    }

    // Called on any thread. The subscriptions are of no further use, but the socket stops reading if they are left.
    private void OnSubscriptions(XPublisherSocket publisher)
    {
        lock (_subscribing)
        {
            using var subscription = new ZeroMqMessage();
            while (!publisher.IsClosed && publisher.TryReceive(subscription))
            {
                if (!_hasBegun)
                {
                    _hasBegun = true;
                    Owner.Post(Begin);
                }
            }
        }
    }

    private bool TryPass()
    {
        // A send may find room by sending for the loop, and then calls OnRoom on this thread. Resume must not send the
        // message that is being sent.
        bool sent;
        _isPassing = true;
        do
        {
            _hasRoomAgain = false;
            sent = TrySendTaken();
        }
        while (!sent && _hasRoomAgain);
        _isPassing = false;
        if (sent)
        {
            CountPassed();
        }
        else if (Owner.MayDrop)
        {
            CountDropped();
        }
        else
        {
            return false;
        }

        ReleaseTaken();
        _hasMessage = false;
        return true;
    }

    private void Pause()
    {
        // The flag is set before the last attempt. If room appears after that attempt, OnRoom sees the flag.
        Volatile.Write(ref _isPaused, true);
        Interlocked.MemoryBarrier();
        bool waitsForServer = Owner.MustWaitForServer;
        if (!waitsForServer && (!_hasMessage || TryPass()))
        {
            Volatile.Write(ref _isPaused, false);
            return;
        }

        Unlisten();
        Owner.CountPause();
        if (waitsForServer)
        {
            _serverCheck ??= new Timer(static pump => ((IncomingPump<TSocket>)pump!).OnRoom(), this, Timeout.Infinite, Timeout.Infinite);
            _serverCheck.Change(ServerCheckInterval, ServerCheckInterval);
        }
    }

    // Called on any thread.
    private void OnRoom()
    {
        if (Volatile.Read(ref _isPaused) && Interlocked.Exchange(ref _resumePosted, 1) == 0)
        {
            Owner.Post(_resume);
        }
    }

    private void Resume()
    {
        // The flag is reset before the attempt, so that OnRoom posts again if there is room after a failed attempt.
        Interlocked.Exchange(ref _resumePosted, 0);
        if (_isPassing)
        {
            _hasRoomAgain = true;
            return;
        }

        if (IsStopped || !_isPaused)
        {
            return;
        }

        try
        {
            if (!Owner.MustWaitForServer && (!_hasMessage || TryPass()))
            {
                _serverCheck?.Change(Timeout.Infinite, Timeout.Infinite);
                Volatile.Write(ref _isPaused, false);
                Listen();
                Owner.IsPaused = false;
            }
        }
        catch (Exception x) when (x is not OutOfMemoryException)
        {
            Owner.Fail(x);
        }
    }
}
