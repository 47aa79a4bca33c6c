using Broker.Bridge;
using Broker.Client;
using NetMQ;

namespace Broker.NetMQ;

/// <summary>Attaches NetMQ sockets to the routes of a bridge.</summary>
/// <remarks>
/// The bridge is the connection to the NATS system: to a server of this process (<c>ClientOptions.Dialer</c>), to a
/// server elsewhere, or to nats-server. It needs no endpoint of its own.
/// </remarks>
/// <example><code>
/// using var poller = new NetMQPoller();
/// using var results = new PullSocket("@inproc://results");
/// poller.RunAsync();
/// var route = new PushPullRouteOptions { Subject = "results" };
/// await using NetMQAttachment attachment = await bridge.AttachAsync(poller, results, route);
/// </code></example>
public static class NetMQBridgeExtensions
{
    /// <summary>
    /// Adds a route to the bridge and attaches a NetMQ socket to it. The socket is added to the poller by the program,
    /// before or after this call.
    /// </summary>
    /// <param name="bridge">The bridge.</param>
    /// <param name="poller">The poller of the socket.</param>
    /// <param name="socket">The socket.</param>
    /// <param name="route">
    /// The route. Its endpoints are replaced: the attached socket is its only ZeroMQ program. A name that was not set
    /// becomes unique.
    /// </param>
    /// <param name="options">The options of the attachment; null for the defaults.</param>
    /// <returns>The attachment. Disposing it removes the route.</returns>
    /// <exception cref="NotSupportedException">
    /// The pattern of the route does not fit the type of the socket.
    /// </exception>
    /// <exception cref="ArgumentException">An option is out of its range, or the name is in use.</exception>
    /// <exception cref="ObjectDisposedException">The bridge or the poller is disposed.</exception>
    public static Task<NetMQAttachment> AttachAsync(
        this ZeroMqBridge bridge, NetMQPoller poller, NetMQSocket socket, RouteOptions route, NetMQAttachmentOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(bridge);
        ArgumentNullException.ThrowIfNull(route);
        Check(poller, socket, options);
        return AddAsync(
            bridge,
            poller,
            AttachedRoute.Fit(route, socket),
            options,
            (owner, fitted) => AttachmentFactory.Create(owner, fitted.Kind, bridge.Context, socket, fitted.Endpoint));
    }

    /// <summary>
    /// Attaches a NetMQ socket to an endpoint of a route that the bridge has, such as <c>inproc://work</c>. Other
    /// programs may use the other endpoints of the route.
    /// </summary>
    /// <param name="bridge">The bridge.</param>
    /// <param name="poller">The poller of the socket.</param>
    /// <param name="socket">The socket.</param>
    /// <param name="endpoint">
    /// The endpoint. The socket's type decides how it is used: SUB, XSUB, PUB and XPUB need an endpoint of a PUB/SUB
    /// route, PULL and PUSH one of a PUSH/PULL route, REP one of a request route, REQ one of a worker route, ROUTER,
    /// DEALER and PAIR one of a route that fits them.
    /// </param>
    /// <param name="options">The options of the attachment; null for the defaults.</param>
    /// <returns>The attachment. Disposing it leaves the route.</returns>
    /// <exception cref="NotSupportedException">Sockets of this type cannot be attached.</exception>
    /// <exception cref="ArgumentException">An option is out of its range.</exception>
    /// <exception cref="FormatException">The text is not an endpoint.</exception>
    /// <exception cref="ObjectDisposedException">The bridge or the poller is disposed.</exception>
    public static NetMQAttachment Attach(
        this ZeroMqBridge bridge, NetMQPoller poller, NetMQSocket socket, string endpoint, NetMQAttachmentOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(bridge);
        ArgumentNullException.ThrowIfNull(endpoint);
        Check(poller, socket, options);
        AttachmentKind kind = AttachmentFactory.KindOf(socket);
        return Start(bridge, poller, null, options, owner => AttachmentFactory.Create(owner, kind, bridge.Context, socket, endpoint));
    }

    /// <summary>
    /// Adds a route to the bridge and attaches a queue of the program to it: each item becomes a message of one frame.
    /// The program adds the queue to the poller and no longer dequeues items itself.
    /// </summary>
    /// <param name="bridge">The bridge.</param>
    /// <param name="poller">The poller of the queue.</param>
    /// <param name="queue">The queue.</param>
    /// <param name="encoder">Encodes the items, on the poller's thread.</param>
    /// <param name="route">A PUSH/PULL or PUB/SUB route. Its endpoints are replaced.</param>
    /// <param name="options">The options of the attachment; null for the defaults.</param>
    /// <typeparam name="T">The type of the items.</typeparam>
    /// <returns>The attachment. Disposing it removes the route.</returns>
    /// <exception cref="NotSupportedException">The route has another pattern.</exception>
    /// <exception cref="ArgumentException">An option is out of its range, or the name is in use.</exception>
    /// <exception cref="ObjectDisposedException">The bridge or the poller is disposed.</exception>
    public static Task<NetMQAttachment> AttachAsync<T>(
        this ZeroMqBridge bridge,
        NetMQPoller poller,
        NetMQQueue<T> queue,
        IMessageEncoder encoder,
        RouteOptions route,
        NetMQAttachmentOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(bridge);
        ArgumentNullException.ThrowIfNull(route);
        ArgumentNullException.ThrowIfNull(queue);
        ArgumentNullException.ThrowIfNull(encoder);
        Check(poller, options);
        return AddAsync(
            bridge,
            poller,
            AttachedRoute.Fit(route, nameof(NetMQQueue<T>), AttachedRoute.Direction.In, null),
            options,
            (owner, fitted) => AttachmentFactory.CreateForQueue(owner, fitted.Kind, bridge.Context, queue, encoder, fitted.Endpoint));
    }

    private static async Task<NetMQAttachment> AddAsync(
        ZeroMqBridge bridge,
        NetMQPoller poller,
        AttachedRoute route,
        NetMQAttachmentOptions? options,
        Func<NetMQAttachment, AttachedRoute, AttachmentParts> create)
    {
        await bridge.AddRouteAsync(route.Options).ConfigureAwait(false);
        try
        {
            return Start(bridge, poller, route.Options.Name, options, owner => create(owner, route));
        }
        catch
        {
            await bridge.RemoveRouteAsync(route.Options.Name).ConfigureAwait(false);
            throw;
        }
    }

    private static NetMQAttachment Start(
        ZeroMqBridge bridge, NetMQPoller poller, string? route, NetMQAttachmentOptions? options, Func<NetMQAttachment, AttachmentParts> create)
    {
        var attachment = new NetMQAttachment(bridge, poller, options ?? new NetMQAttachmentOptions(), create);
        attachment.Start(route);
        return attachment;
    }

    private static void Check(NetMQPoller poller, NetMQSocket socket, NetMQAttachmentOptions? options)
    {
        ArgumentNullException.ThrowIfNull(socket);
        ObjectDisposedException.ThrowIf(socket.IsDisposed, socket);
        Check(poller, options);
    }

    private static void Check(NetMQPoller poller, NetMQAttachmentOptions? options)
    {
        ArgumentNullException.ThrowIfNull(poller);
        ObjectDisposedException.ThrowIf(poller.IsDisposed, poller);
        options?.Validate();
    }
}
