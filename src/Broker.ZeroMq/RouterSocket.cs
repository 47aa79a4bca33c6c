using Broker.ZeroMq.Queues;
using Broker.ZeroMq.RequestReply;
using Broker.ZeroMq.Sockets;
using Broker.ZeroMq.Zmtp.Framing;

namespace Broker.ZeroMq;

/// <summary>
/// ROUTER: receives from all peers with their routing id as the first frame, and sends each message to the peer that its first frame
/// names (RFC 28). A message for nobody, or for a peer that is full, is dropped and counted, unless the socket is mandatory.
/// </summary>
public sealed class RouterSocket : MessageSocket, ISendingSocket, IReceivingSocket
{
    private readonly LoopRouter _socket;
    private readonly bool _isMandatory;
    private long _lost;

    /// <summary>Creates a socket without endpoints.</summary>
    /// <param name="options">Default: those of a new <see cref="RouterSocketOptions"/>.</param>
    /// <param name="context">Default: one of its own, on the shared loops.</param>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    public RouterSocket(RouterSocketOptions? options = null, ZeroMqContext? context = null)
        : base(options, context)
    {
        options ??= new RouterSocketOptions();
        _socket = new LoopRouter(
            Loop, new QueueSink(MakeInbound(), showsIds: true), new LoopRouterOptions(options)
            {
                Handover = options.Handover,
                Mandatory = options.Mandatory,
            });
        var outbound = MakeOutbound(new OneByOneSender(Route), isOpen: true);
        _isMandatory = options.Mandatory;
        if (_isMandatory)
        {
            Routes = _socket.Knows;
            _socket.OnWritable = _ => outbound.Resume();
            _socket.OnForgotten = outbound.Resume;
        }

        Serve(_socket);
    }

    /// <inheritdoc/>
    public bool HasRoom => CanSend;

    /// <inheritdoc/>
    public bool HasMessages => CanReceive;

    /// <summary>Messages that went to nobody. A moment's truth.</summary>
    public long MessagesDropped => _socket.MessagesDropped + Volatile.Read(ref _lost);

    /// <inheritdoc/>
    public override ZeroMqCounts GetCounts() => base.GetCounts() with { MessagesDropped = MessagesDropped };

    // False while a mandatory socket's peer has no room.
    private bool Route(ReadOnlySpan<byte> message)
    {
        var id = EncodedMessage.SplitFrame(message, out bool more, out int size);
        var result = RouteResult.Unroutable;
        if (more)
        {
            var rest = new Encoders.Verbatim(message[size..]);
            result = _socket.TrySend(id, ref rest);
        }

        if (result == RouteResult.Full)
        {
            return false;
        }

        if (result == RouteResult.Unroutable)
        {
            Volatile.Write(ref _lost, _lost + 1);
        }

        return true;
    }
}
