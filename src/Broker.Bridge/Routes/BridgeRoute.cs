using Broker.Client;
using Broker.Transport;
using Broker.ZeroMq;
using Broker.ZeroMq.Loops;

namespace Broker.Bridge;

/// <summary>
/// A running route: it connects ZeroMQ programs with subjects by one pattern. The connection's loop notifies the route
/// about the server and delivers messages from subjects to it. If a route's sockets run on a single loop, it is the
/// same loop, so that one thread does all the work of the route.
/// </summary>
internal abstract class BridgeRoute : IAsyncDisposable
{
    private volatile bool _isPaused;

    private protected BridgeRoute(RouteOptions options, RouteContext context)
    {
        Name = options.Name;
        Pattern = options.Pattern;
        Security = options.Security;
        ReservedSubjects = options.ReservedSubjects;
        Subjects = options.Subjects;
        Context = context;
        Log = new RouteLog(context.Logger, options.Name);
    }

    /// <summary>The name of the route, from <see cref="RouteOptions.Name"/>.</summary>
    internal string Name { get; }

    /// <summary>The name of the pattern, from <see cref="RouteOptions.Pattern"/>.</summary>
    internal string Pattern { get; }

    /// <summary>The security mechanism, from <see cref="RouteOptions.Security"/>.</summary>
    internal ZeroMqSecurity Security { get; }

    /// <summary>The subjects and filters that are reserved for this route in a server of this process.</summary>
    internal IReadOnlyList<string> ReservedSubjects { get; }

    /// <summary>The subjects and filters of the route, from <see cref="RouteOptions.Subjects"/>.</summary>
    internal IReadOnlyList<string> Subjects { get; }

    /// <summary>
    /// Whether the route takes no new messages (<see cref="ZeroMqBridge.PauseRouteAsync"/>). Changed on the loop only.
    /// </summary>
    internal bool IsPaused => _isPaused;

    /// <summary>
    /// Whether the ZeroMQ programs of the route receive only copies; null if the route cannot be a shadow. Changed on
    /// the loop only.
    /// </summary>
    internal virtual bool? IsShadow => null;

    /// <summary>The connection that the route uses.</summary>
    internal BrokerConnection Client => Context.Client;

    /// <summary>The loop of the connection.</summary>
    internal EventLoop Loop => Context.Loop;

    private protected RouteContext Context { get; }

    private protected RouteLog Log { get; }

    /// <summary>
    /// Subscribes to subjects. The bridge calls this method first, on the loop. If a server is connected,
    /// <see cref="OnServerConnected"/> follows at once.
    /// </summary>
    internal virtual void Start()
    {
    }

    /// <summary>
    /// Binds and connects the ZeroMQ sockets. The bridge calls this method after <see cref="Start"/>, on the thread of
    /// its caller.
    /// </summary>
    /// <exception cref="Broker.ZeroMq.ZeroMqBindException">An endpoint cannot be bound.</exception>
    internal abstract void Open();

    /// <summary>Called on the loop when the server is lost.</summary>
    internal virtual void OnServerLost()
    {
    }

    /// <summary>
    /// Called on the loop when a server is connected: the first server, or a later server, to which the connection has
    /// already sent its subscriptions again. It may be called twice for the same server.
    /// </summary>
    internal virtual void OnServerConnected()
    {
    }

    /// <summary>
    /// Called on the loop when the connection accepts messages again after it has refused a message because its buffer
    /// was full.
    /// </summary>
    internal virtual void OnWritable()
    {
    }

    /// <summary>
    /// Pauses or resumes the route. When the task completes, all loops know it. May be called on any thread.
    /// </summary>
    internal async Task SetPausedAsync(bool paused)
    {
        await OnLoopAsync(() =>
        {
            if (_isPaused != paused)
            {
                _isPaused = paused;
                Log.PauseChanged(paused);
                OnPauseChanged();
            }
        }).ConfigureAwait(false);
        for (int i = 0; i < Context.Loops.Count; i++)
        {
            // A loop that was handling a message before the pause has handled it when it runs this action.
            await Context.Loops[i].RunAsync(static () => { }).ConfigureAwait(false);
        }
    }

    /// <summary>
    /// Makes the route a shadow, or ends this. May be called on any thread, if <see cref="IsShadow"/> is not null.
    /// </summary>
    internal Task SetShadowAsync(bool shadow) => OnLoopAsync(() =>
    {
        if (IsShadow != shadow)
        {
            Log.ShadowChanged(shadow);
            ChangeShadow(shadow);
        }
    });

    /// <summary>
    /// Called on the loop when <see cref="IsPaused"/> has changed. After a pause, the route resumes its programs.
    /// </summary>
    private protected abstract void OnPauseChanged();

    /// <summary>Changes <see cref="IsShadow"/>. Called on the loop.</summary>
    private protected virtual void ChangeShadow(bool shadow)
    {
    }

    /// <summary>
    /// Lets a paused route deliver the messages that it has already taken, because the process stops. May be called on
    /// any thread.
    /// </summary>
    internal virtual Task DeliverBeforeStopAsync() => Task.CompletedTask;

    /// <summary>
    /// Stops taking messages from ZeroMQ. When the task completes, all messages that were taken before have been
    /// published. May be called on any thread.
    /// </summary>
    internal abstract Task StopIngressAsync();

    /// <summary>
    /// Closes the route, also if it was not started completely. It sends messages that are queued for ZeroMQ programs
    /// until the linger time has passed. May be called on any thread; it may be called more than once.
    /// </summary>
    /// <returns>How many messages ZeroMQ programs did not take.</returns>
    internal abstract Task<long> CloseAsync(TimeSpan linger);

    /// <summary>Closes the route like <see cref="CloseAsync"/>, with a linger time of zero.</summary>
    public async ValueTask DisposeAsync() => await CloseAsync(TimeSpan.Zero).ConfigureAwait(false);

    /// <summary>Returns the counters of the route. May be called on any thread.</summary>
    internal abstract RouteSnapshot Snapshot();

    /// <summary>Runs an action on the loop; does nothing if the loop has ended.</summary>
    private protected Task OnLoopAsync(Action action) => Loop.RunAsync(action);

    /// <summary>Waits until the server has received all published messages; returns at once without a server.</summary>
    private protected async Task FlushAsync()
    {
        try
        {
            await Client.FlushAsync().ConfigureAwait(false);
        }
        catch (ClientException)
        {
            // Without a server, there is nothing to flush. The messages lost with it have been counted.
        }
    }

    /// <summary>Binds or connects a socket to all endpoints, in the order given.</summary>
    /// <returns>The bound endpoints, with the ports that the system has assigned.</returns>
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
