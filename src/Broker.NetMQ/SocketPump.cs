using Broker.ZeroMq;
using NetMQ;

namespace Broker.NetMQ;

/// <summary>Passes the messages of a NetMQ socket to the route.</summary>
/// <remarks>
/// The spans of at most two frames go from NetMQ's buffers into the queue of the route's socket without another copy. A
/// message of more frames is first collected in one reused buffer, because it is sent as a whole or not at all.
/// </remarks>
internal sealed class SocketPump<TSocket> : IncomingPump<TSocket>
    where TSocket : MessageSocket, ISendingSocket
{
    private const int Many = 3;

    private readonly NetMQSocket _source;
    private readonly Exchange? _exchange;
    private readonly Action? _onTaken;
    private readonly EventHandler<NetMQSocketEventArgs> _onReady;
    private readonly ZeroMqMessage _many = new();
    private Msg _first;
    private Msg _second;

    // Whether this turn has taken a message.
    private bool _hasTaken;

    // The number of frames of the message that was taken. 3 means that the frames are in _many.
    private int _frames;

    /// <param name="owner">The attachment.</param>
    /// <param name="source">The NetMQ socket.</param>
    /// <param name="target">The socket that leads to the route.</param>
    /// <param name="isOneWay">Whether no replies go back to the NetMQ socket.</param>
    /// <param name="exchange">Adds the envelopes of a REP or REQ socket; null for others.</param>
    /// <param name="onTaken">Called after a turn that has taken messages; null for nothing.</param>
    internal SocketPump(NetMQAttachment owner, NetMQSocket source, TSocket target, bool isOneWay, Exchange? exchange = null, Action? onTaken = null)
        : base(owner, target, isOneWay)
    {
        _source = source;
        _exchange = exchange;
        _onTaken = onTaken;
        _onReady = (_, _) => OnReady();
        _first.InitEmpty();
        _second.InitEmpty();
    }

    public override void Dispose()
    {
        base.Dispose();
        _many.Dispose();
    }

    private protected override void Listen() => _source.ReceiveReady += _onReady;

    private protected override void Unlisten() => _source.ReceiveReady -= _onReady;

    private protected override bool TryTake()
    {
        // A REP or REQ socket throws if it is not its turn to receive.
        if ((_exchange is not null && !_source.HasIn) || !_source.TryReceive(ref _first, TimeSpan.Zero))
        {
            return false;
        }

        if (_exchange is not null)
        {
            _exchange.Begin(_many.Clear());
            _many.Append(_first.Slice());
            CollectRest(_first.HasMore);
        }
        else if (!_first.HasMore)
        {
            _frames = 1;
        }
        else
        {
            _source.Receive(ref _second);
            _frames = 2;
            if (_second.HasMore)
            {
                _many.Clear().Append(_first.Slice()).Append(_second.Slice());
                CollectRest(more: true);
            }
        }

        _hasTaken = true;
        return true;
    }

    private protected override bool TrySendTaken() => _frames switch
    {
        1 => Target.TrySend((ReadOnlySpan<byte>)_first.Slice()),
        2 => Target.TrySend((ReadOnlySpan<byte>)_first.Slice(), _second.Slice()),
        _ => Target.TrySend(_many),
    };

    // Returns the buffers to NetMQ's pool.
    private protected override void ReleaseTaken()
    {
        if (_frames != 1)
        {
            _second.Close();
            _second.InitEmpty();
        }

        _first.Close();
        _first.InitEmpty();
        _frames = 0;
    }

    private protected override ZeroMqMessage KeepTaken()
    {
        var message = new ZeroMqMessage();
        if (_frames == Many)
        {
            return message.CopyFrom(_many);
        }

        message.Append(_first.Slice());
        return _frames == 1 ? message : message.Append(_second.Slice());
    }

    private protected override void Close()
    {
        Close(ref _first);
        Close(ref _second);
    }

    private void OnReady()
    {
        Forward();
        if (_hasTaken)
        {
            _hasTaken = false;
            _onTaken?.Invoke();
        }
    }

    // NetMQ has received all frames of a message when it offers the first one, so that no receive waits.
    private void CollectRest(bool more)
    {
        while (more)
        {
            _source.Receive(ref _second);
            _many.Append(_second.Slice());
            more = _second.HasMore;
        }

        _frames = Many;
    }
}
