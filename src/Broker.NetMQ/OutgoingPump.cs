using Broker.ZeroMq;
using NetMQ;
using IReceivingSocket = Broker.ZeroMq.IReceivingSocket;

namespace Broker.NetMQ;

/// <summary>
/// Passes the messages of the route to a NetMQ socket. While the socket is full, the messages wait in the queue of the
/// route's socket, which is bounded, and then at the route.
/// </summary>
/// <remarks>
/// NetMQ raises SendReady without pause while a socket has room. So the handler is attached only while messages wait;
/// the first message after a pause is posted to the poller's thread.
/// </remarks>
internal sealed class OutgoingPump<TSocket> : Pump
    where TSocket : MessageSocket, IReceivingSocket
{
    private readonly TSocket _source;
    private readonly NetMQSocket _target;
    private readonly Exchange? _exchange;
    private readonly EventHandler<NetMQSocketEventArgs> _onReady;
    private readonly Action _drain;
    private readonly ZeroMqMessage _message = new();
    private IDisposable? _watch;
    private Msg _frame;

    // The frames of _message that the socket has accepted, and whether _frame has the content of the next one.
    private int _sent;
    private bool _isFilled;
    private bool _hasMessage;

    private bool _listens;
    private int _drainPosted;

    internal OutgoingPump(NetMQAttachment owner, TSocket source, NetMQSocket target, Exchange? exchange = null)
        : base(owner)
    {
        _source = source;
        _target = target;
        _exchange = exchange;
        _onReady = OnReady;
        _drain = DrainPosted;
        _frame.InitEmpty();
    }

    internal override bool IsEmpty => !Volatile.Read(ref _hasMessage) && !_source.HasMessages;

    internal override void Start()
    {
        if (!IsStopped)
        {
            _watch = _source.WatchMessages(OnMessages);
        }
    }

    public override void Dispose()
    {
        _watch?.Dispose();
        _message.Dispose();
    }

    /// <summary>
    /// Continues after the reply to a request: sends the next request, if there is one. NetMQ builds its list of
    /// sockets anew when a handler is attached, so that is left to the case that the socket is full.
    /// </summary>
    internal void Continue() => DrainPosted();

    private protected override void StopCore()
    {
        StopListening();
        if (_hasMessage)
        {
            CountDropped();
        }

        Close(ref _frame);
    }

    // Called on any thread.
    private void OnMessages()
    {
        if (Volatile.Read(ref _drainPosted) == 0 && Interlocked.Exchange(ref _drainPosted, 1) == 0)
        {
            Owner.Post(_drain);
        }
    }

    private void OnReady(object? sender, NetMQSocketEventArgs e) => DrainPosted();

    private void DrainPosted()
    {
        // NetMQ ends the process if a handler throws.
        try
        {
            if (!IsStopped)
            {
                Drain();
            }
        }
        catch (Exception x) when (x is not OutOfMemoryException)
        {
            Owner.Fail(x);
        }
    }

    private void Drain()
    {
        for (int left = Owner.Options.BatchSize; left > 0; left--)
        {
            if (!_hasMessage && !TryTake())
            {
                return;
            }

            if (!TrySend())
            {
                break;
            }
        }

        Listen();
    }

    // Returns false if there is nothing to send now. The handler is then not attached.
    private bool TryTake()
    {
        while (_exchange is not { IsBusy: true })
        {
            if (!_source.TryReceive(_message))
            {
                StopListening();

                // The flag is reset before the check, so that OnMessages posts again for a message after the check.
                Interlocked.Exchange(ref _drainPosted, 0);
                if (_source.HasMessages && Interlocked.Exchange(ref _drainPosted, 1) == 0)
                {
                    Listen();
                }

                return false;
            }

            CountTaken();
            if (_exchange is null || _exchange.TryOpen(_message))
            {
                _sent = 0;
                Volatile.Write(ref _hasMessage, true);
                return true;
            }

            CountDropped();
        }

        StopListening();
        return false;
    }

    private bool TrySend()
    {
        try
        {
            int count = _message.FrameCount;
            while (_sent < count)
            {
                if (!_isFilled)
                {
                    ReadOnlySpan<byte> body = _message[_sent];
                    _frame.InitPool(body.Length);
                    body.CopyTo(_frame.Slice());
                    _isFilled = true;
                }

                if (!_target.TrySend(ref _frame, TimeSpan.Zero, more: _sent + 1 < count))
                {
                    return false;
                }

                _isFilled = false;
                _sent++;
            }

            CountPassed();
        }
        catch (HostUnreachableException)
        {
            // A mandatory ROUTER has no peer with this identity, so the whole message has no receiver.
            CountDropped();
            _frame.Close();
            _frame.InitEmpty();
        }

        _isFilled = false;
        Volatile.Write(ref _hasMessage, false);
        return true;
    }

    private void Listen()
    {
        if (!_listens)
        {
            _listens = true;
            _target.SendReady += _onReady;
        }
    }

    private void StopListening()
    {
        if (!_listens)
        {
            return;
        }

        _listens = false;
        try
        {
            _target.SendReady -= _onReady;
        }
        catch (ObjectDisposedException)
        {
            // The program has disposed its socket, which calls no handlers any more.
        }
    }
}
