using Broker.Client;
using Broker.Transport;
using Broker.ZeroMq.Mechanisms;
using Broker.ZeroMq.Sockets;

namespace Broker.Bridge.Routes;

/// <summary>
/// One pattern between ZeroMQ programs and subjects. What it is told of the server comes on the connection's loop, where it also gets its
/// messages from subjects; routes with sockets of one loop have them there too, so that everything about them happens on one thread.
/// </summary>
internal abstract class BridgeRoute : IAsyncDisposable
{
    private protected BridgeRoute(RouteOptions options, RouteContext context)
    {
        Name = options.Name;
        Pattern = options.Pattern;
        Security = options.Security;
        Context = context;
        Log = new RouteLog(context.Logger, options.Name);
    }

    /// <summary>As its options say.</summary>
    internal string Name { get; }

    /// <summary>As its options say.</summary>
    internal string Pattern { get; }

    /// <summary>As its options say.</summary>
    internal ZeroMqSecurity Security { get; }

    private protected RouteContext Context { get; }

    private protected BrokerConnection Client => Context.Client;

    private protected EventLoop Loop => Context.Loop;

    private protected RouteLog Log { get; }

    /// <summary>
    /// The beginning, before all else and on the loop. With a server, <see cref="OnServerBack"/> follows at once.
    /// </summary>
    internal virtual void Start()
    {
    }

    /// <summary>Opens the ZeroMQ side, after <see cref="Start"/> and on the caller's thread.</summary>
    /// <exception cref="Broker.ZeroMq.Endpoints.ZeroMqBindException">An endpoint cannot be had.</exception>
    internal abstract void Open();

    /// <summary>The server is lost. On the loop.</summary>
    internal virtual void OnServerLost()
    {
    }

    /// <summary>
    /// There is a server: the first, or another, to which the connection has renewed its subscriptions. On the loop; it may be said twice of
    /// the same.
    /// </summary>
    internal virtual void OnServerBack()
    {
    }

    /// <summary>The connection takes messages again, after it had refused one for want of room, or has room now. On the loop.</summary>
    internal virtual void OnWritable()
    {
    }

    /// <summary>Takes no messages from ZeroMQ any more. What was taken before has been published when the task is done. Any thread.</summary>
    internal abstract Task StopIngressAsync();

    /// <summary>
    /// Ends it, whatever had begun; what is queued for ZeroMQ programs is sent for up to the linger. Any thread, also a second time.
    /// </summary>
    /// <returns>How many messages ZeroMQ programs did not take.</returns>
    internal abstract Task<long> CloseAsync(TimeSpan linger);

    /// <summary>As <see cref="CloseAsync"/> without a linger.</summary>
    public async ValueTask DisposeAsync() => await CloseAsync(TimeSpan.Zero).ConfigureAwait(false);

    /// <summary>Its counters. Any thread.</summary>
    internal abstract RouteSnapshot Snapshot();

    /// <summary>Does something on the loop; nothing when that has ended.</summary>
    private protected Task OnLoopAsync(Action action) => Loop.DoAsync(action);

    /// <summary>Binds or connects, in the order given.</summary>
    /// <returns>What was bound, with the ports that were really taken.</returns>
    private protected static List<string> Open(LoopSocket socket, IReadOnlyList<BridgeEndpoint> endpoints)
    {
        var bound = new List<string>();
        foreach (BridgeEndpoint endpoint in endpoints)
        {
            if (endpoint.Bind)
            {
                bound.Add(socket.Bind(endpoint.Endpoint, endpoint.AllowedAddresses).ToString());
            }
            else
            {
                socket.Connect(endpoint.Endpoint);
            }
        }

        return bound;
    }
}
