using Broker.Bridge;
using NetMQ;
using NetMQSockets = NetMQ.Sockets;

namespace Broker.NetMQ;

/// <summary>A route whose only ZeroMQ program is an attached NetMQ socket.</summary>
/// <param name="Options">The options of the route.</param>
/// <param name="Kind">How the attachment uses the endpoint of the route.</param>
/// <param name="Endpoint">The endpoint of the route.</param>
internal sealed record AttachedRoute(RouteOptions Options, AttachmentKind Kind, string Endpoint)
{
    private static long _last;

    /// <summary>The directions of the messages of an attached object.</summary>
    internal enum Direction
    {
        /// <summary>From the object to the route.</summary>
        In,

        /// <summary>From the route to the object.</summary>
        Out,

        /// <summary>In both directions.</summary>
        Both,
    }

    /// <summary>Fits a route to a socket: replaces its endpoints, and its name if it has none.</summary>
    /// <exception cref="NotSupportedException">
    /// The pattern of the route does not fit the type of the socket.
    /// </exception>
    internal static AttachedRoute Fit(RouteOptions route, NetMQSocket socket) => Fit(route, socket.GetType().Name, DirectionOf(socket), socket);

    /// <inheritdoc cref="Fit(RouteOptions, NetMQSocket)"/>
    /// <param name="route">The route.</param>
    /// <param name="type">The name of the object's type, for the error.</param>
    /// <param name="direction">The direction of the object.</param>
    /// <param name="socket">The socket; null for a queue.</param>
    internal static AttachedRoute Fit(RouteOptions route, string type, Direction direction, NetMQSocket? socket)
    {
        long number = Interlocked.Increment(ref _last);
        string endpoint = $"inproc://netmq-{number}";
        BridgeEndpoint[] attached = [new BridgeEndpoint(Bind: true, endpoint)];
        (RouteOptions? fitted, AttachmentKind kind) = (route, direction) switch
        {
            (PushPullRouteOptions pipeline, Direction.In)
                => ((RouteOptions)(pipeline with { Pushers = attached, Pullers = [] }), AttachmentKind.Push),
            (PushPullRouteOptions pipeline, Direction.Out) => (pipeline with { Pushers = [], Pullers = attached }, AttachmentKind.Pull),
            (PubSubRouteOptions topics, Direction.In) => (topics with { Publishers = attached, Subscribers = [] }, AttachmentKind.Publish),
            (PubSubRouteOptions topics, Direction.Out) => (
                topics with { Publishers = [], Subscribers = attached },
                socket is NetMQSockets.XPublisherSocket ? AttachmentKind.Forward : AttachmentKind.Subscribe),
            (SocketRouteOptions dialogue, Direction.Both) => Fit(dialogue, socket!, attached),
            _ => (null, default),
        };
        if (fitted is null)
        {
            throw new NotSupportedException(
                $"A {type} cannot be attached to a route of the pattern '{route.Pattern}'. "
                + "Pattern pubsub or pushpull: PUB, XPUB, SUB, XSUB, PUSH, PULL and queues. Pattern request: REP, ROUTER, DEALER. "
                + "Pattern worker: REQ, DEALER. Patterns router, dealer and pair: ROUTER, DEALER, PAIR.");
        }

        // The name of a route that was given no name is its pattern.
        bool isNamed = !string.Equals(route.Name, route.Pattern, StringComparison.Ordinal);
        return new AttachedRoute(isNamed ? fitted : fitted with { Name = $"{route.Pattern} netmq-{number}" }, kind, endpoint);
    }

    private static (RouteOptions? Options, AttachmentKind Kind) Fit(SocketRouteOptions route, NetMQSocket socket, BridgeEndpoint[] attached)
    {
        RouteOptions fitted = route with { Endpoints = attached };
        return (fitted, socket) switch
        {
            (RequestRouteOptions requests, NetMQSockets.ResponseSocket) => (Front(requests, alwaysReplies: true), AttachmentKind.Front),
            (RequestRouteOptions requests, NetMQSockets.RouterSocket or NetMQSockets.DealerSocket)
                => (Front(requests, alwaysReplies: false), AttachmentKind.Dealer),
            (WorkerRouteOptions { Envelope: not WorkerEnvelope.Ready }, NetMQSockets.RequestSocket) => (fitted, AttachmentKind.Worker),
            (WorkerRouteOptions { Envelope: not WorkerEnvelope.Ready }, NetMQSockets.DealerSocket) => (fitted, AttachmentKind.Dealer),
            (RawRouteOptions raw, NetMQSockets.RouterSocket or NetMQSockets.DealerSocket or NetMQSockets.PairSocket)
                => (fitted, raw.Socket == RawSocket.Pair ? AttachmentKind.Pair : AttachmentKind.Dealer),
            _ => (null, default),
        };
    }

    // All programs behind the attached socket are one client of the route. A REP socket waits for each reply, so that
    // each request gets one: an empty one if there is nothing else.
    private static RequestRouteOptions Front(RequestRouteOptions route, bool alwaysReplies)
    {
        ReadOnlyMemory<byte>? otherwise = alwaysReplies ? ReadOnlyMemory<byte>.Empty : default(ReadOnlyMemory<byte>?);
        return route with
        {
            MaxPendingPerClient = Math.Max(route.MaxPending, route.MaxPendingPerClient),
            MaxPendingBytesPerClient = Math.Max(route.MaxPendingBytes, route.MaxPendingBytesPerClient),
            TimeoutReply = route.TimeoutReply ?? otherwise,
            ServiceErrorReply = route.ServiceErrorReply ?? otherwise,
        };
    }

    private static Direction DirectionOf(NetMQSocket socket) => socket switch
    {
        NetMQSockets.PullSocket or NetMQSockets.SubscriberSocket or NetMQSockets.XSubscriberSocket => Direction.In,
        NetMQSockets.PushSocket or NetMQSockets.PublisherSocket or NetMQSockets.XPublisherSocket => Direction.Out,
        _ => Direction.Both,
    };
}
