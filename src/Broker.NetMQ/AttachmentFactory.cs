using Broker.Client;
using Broker.ZeroMq;
using NetMQ;
using IReceivingSocket = Broker.ZeroMq.IReceivingSocket;
using NetMQSockets = NetMQ.Sockets;

namespace Broker.NetMQ;

/// <summary>Chooses and creates the parts of an attachment.</summary>
internal static class AttachmentFactory
{
    /// <summary>Returns the kind for a NetMQ socket whose route is known by its endpoint only.</summary>
    /// <exception cref="NotSupportedException">No route fits a socket of this type.</exception>
    internal static AttachmentKind KindOf(NetMQSocket socket) => socket switch
    {
        NetMQSockets.PullSocket => AttachmentKind.Push,
        NetMQSockets.PushSocket => AttachmentKind.Pull,
        NetMQSockets.SubscriberSocket or NetMQSockets.XSubscriberSocket => AttachmentKind.Publish,
        NetMQSockets.PublisherSocket => AttachmentKind.Subscribe,
        NetMQSockets.XPublisherSocket => AttachmentKind.Forward,
        NetMQSockets.RouterSocket or NetMQSockets.DealerSocket => AttachmentKind.Dealer,
        NetMQSockets.ResponseSocket => AttachmentKind.Front,
        NetMQSockets.RequestSocket => AttachmentKind.Worker,
        NetMQSockets.PairSocket => AttachmentKind.Pair,
        _ => throw new NotSupportedException($"A {socket.GetType().Name} cannot be attached: no route fits its messages."),
    };

    /// <summary>Creates the parts of a queue's attachment.</summary>
    internal static AttachmentParts CreateForQueue<T>(
        NetMQAttachment owner, AttachmentKind kind, ZeroMqContext context, NetMQQueue<T> queue, IMessageEncoder encoder, string endpoint)
    {
        NetMQAttachmentOptions options = owner.Options;
        return kind == AttachmentKind.Publish
            ? Queue(Connect(Publisher(options, context), endpoint))
            : Queue(Connect(new PushSocket(options.ForSocket(), context), endpoint));

        AttachmentParts Queue<TSocket>(TSocket target)
            where TSocket : MessageSocket, ISendingSocket
        {
            var pump = new QueuePump<TSocket, T>(owner, queue, target, encoder);
            return new AttachmentParts(target, pump, null, pump.PassLastAsync, null);
        }
    }

    /// <summary>Creates the parts and connects them to the endpoint.</summary>
    internal static AttachmentParts Create(
        NetMQAttachment owner, AttachmentKind kind, ZeroMqContext context, NetMQSocket socket, string endpoint)
    {
        NetMQAttachmentOptions options = owner.Options;
        switch (kind)
        {
            case AttachmentKind.Push:
                return Incoming(owner, socket, Connect(new PushSocket(options.ForSocket(), context), endpoint));
            case AttachmentKind.Publish:
                return Incoming(owner, socket, Connect(Publisher(options, context), endpoint));
            case AttachmentKind.Pull:
                return Outgoing(owner, Connect(new PullSocket(options.ForSocket(), context), endpoint), socket);
            case AttachmentKind.Subscribe:
                var subscriber = new SubscriberSocket(options.ForSocket(), context);
                foreach (byte[] topic in options.Topics)
                {
                    subscriber.Subscribe(topic);
                }

                return Outgoing(owner, Connect(subscriber, endpoint), socket);
            case AttachmentKind.Forward:
                return BothWays(owner, socket, Connect(new XSubscriberSocket(options.ForSocket(), context), endpoint), null);
            case AttachmentKind.Pair:
                return BothWays(owner, socket, Connect(new PairSocket(options.ForSocket(), context), endpoint), null);
            default:
                Exchange? exchange = kind == AttachmentKind.Dealer ? null : new Exchange(keepsEnvelope: kind == AttachmentKind.Worker);
                return BothWays(owner, socket, Connect(new DealerSocket(options.ForSocket(), context), endpoint), exchange);
        }
    }

    // The socket waits instead of dropping messages: a PUB/SUB route drops and counts them, if they must be dropped.
    private static XPublisherSocket Publisher(NetMQAttachmentOptions options, ZeroMqContext context)
        => new(options.Apply(new XPublisherSocketOptions { NoDrop = true }), context);

    private static AttachmentParts Incoming<TSocket>(NetMQAttachment owner, NetMQSocket socket, TSocket target)
        where TSocket : MessageSocket, ISendingSocket
    {
        var pump = new SocketPump<TSocket>(owner, socket, target, isOneWay: true);
        return new AttachmentParts(target, pump, null, pump.PassLastAsync, null);
    }

    private static AttachmentParts Outgoing<TSocket>(NetMQAttachment owner, TSocket source, NetMQSocket socket)
        where TSocket : MessageSocket, IReceivingSocket
        => new(source, null, new OutgoingPump<TSocket>(owner, source, socket), static _ => Task.CompletedTask, null);

    private static AttachmentParts BothWays<TSocket>(NetMQAttachment owner, NetMQSocket socket, TSocket other, Exchange? exchange)
        where TSocket : MessageSocket, ISendingSocket, IReceivingSocket
    {
        var outgoing = new OutgoingPump<TSocket>(owner, other, socket, exchange);
        Action? onTaken = exchange is { KeepsEnvelope: true } ? outgoing.Continue : null;
        var incoming = new SocketPump<TSocket>(owner, socket, other, isOneWay: false, exchange, onTaken);
        return new AttachmentParts(other, incoming, outgoing, incoming.PassLastAsync, exchange);
    }

    private static TSocket Connect<TSocket>(TSocket socket, string endpoint)
        where TSocket : MessageSocket
    {
        socket.Connect(endpoint);
        return socket;
    }
}
