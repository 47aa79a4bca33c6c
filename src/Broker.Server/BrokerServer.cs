using System.ComponentModel;
using System.Net;
using System.Net.Sockets;
using Broker.Server.Events;
using Broker.Server.Sessions;
using Broker.Transport;
using Broker.Transport.InProcess;

namespace Broker.Server;

/// <summary>
/// A server of the NATS text protocol in this process. Several may run side by side; they share nothing.
/// </summary>
/// <remarks>Thread-safe. <see cref="DisposeAsync"/> closes everything at once; <see cref="DrainAsync"/> first delivers.</remarks>
/// <example><code>
/// await using var server = await BrokerServer.StartAsync(o => o.Listen(4222), cancellationToken);
/// </code></example>
public sealed partial class BrokerServer : IAsyncDisposable
{
    /// <summary>The version in INFO: that of the nats-server whose client protocol is spoken here.</summary>
    public const string ProtocolVersion = ServerIdentity.ProtocolVersion;

    private static readonly TimeSpan Look = TimeSpan.FromMilliseconds(10);
    private const int MostLooks = 500;

    private readonly ServerCore _core;
    private readonly SystemEvents _events;
    private readonly bool _ownsLoops;
    private readonly List<Listener> _listeners = [];
    private int _disposed;

    private BrokerServer(ServerCore core, EventLoopGroup loops, bool ownsLoops)
    {
        _core = core;
        _started = core.Now;
        core.Events = _events = new SystemEvents(core, loops, Inspect);
        Loops = loops;
        _ownsLoops = ownsLoops;
        loops.ConnectionBudget.Exhausted += OnBudgetExhausted;
    }

    /// <summary>Where it listens, in the order of the options, with the ports that were really taken.</summary>
    public IReadOnlyList<EndPoint> EndPoints => [.. _listeners.Select(l => l.EndPoint)];

    /// <summary>The loops it runs on. Connections on the same loop as an in-process client exchange messages without waking a thread.</summary>
    public EventLoopGroup Loops { get; }

    /// <summary>How many clients may be connected now; see <see cref="BrokerServerOptions.MaxConnections"/>.</summary>
    public int MaxConnections => _core.Options.MaxConnections;

    /// <summary>The name in INFO.</summary>
    public string Name => _core.Identity.Name;

    /// <inheritdoc cref="StartAsync(BrokerServerOptions, CancellationToken)"/>
    public static Task<BrokerServer> StartAsync(Action<BrokerServerOptions> configure, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(configure);
        var options = new BrokerServerOptions();
        configure(options);
        return StartAsync(options, cancellationToken);
    }

    /// <summary>Starts a server. When the task is done, clients can connect.</summary>
    /// <exception cref="ListenException">An address cannot be had.</exception>
    /// <exception cref="ArgumentException">An option is out of its range, or options contradict each other; the text names it.</exception>
    public static async Task<BrokerServer> StartAsync(BrokerServerOptions options, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(options);
        options = options.Copy();
        options.Validate();
        cancellationToken.ThrowIfCancellationRequested();
        var log = new ServerLog(options.Logger);
        EventLoopGroup loops = options.Loops ?? new EventLoopGroup(options.LoopOptions with { OnFault = log.Fault + options.LoopOptions.OnFault });
        var server = new BrokerServer(new ServerCore(options, loops), loops, options.Loops is null);
        try
        {
            server.Listen();
            return server;
        }
        catch
        {
            await server.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    /// <summary>
    /// The way to this server for clients in this process, without a socket: the same protocol, limits and rules as over TCP. It is
    /// what a client's options take for their dialer, and good for every reconnect.
    /// </summary>
    /// <param name="user">
    /// The name of the user, one of <see cref="BrokerServerOptions.Users"/> or of an account's, that such clients are without showing
    /// anything; one that shows credentials in its CONNECT is who they say. Null, the default: whoever comes without credentials.
    /// </param>
    /// <exception cref="ArgumentException">There is no such user now. One that is gone later fails the attempts then.</exception>
    /// <exception cref="ObjectDisposedException">The server has ended.</exception>
    public IDialer Connect(string? user = null)
    {
        ObjectDisposedException.ThrowIf(_disposed != 0, this);
        ThrowIfUnknown(user);
        return new InProcessDialer(this, user);
    }

    /// <summary>
    /// Connects a client in this process without a socket: the same protocol, limits and rules as over TCP.
    /// </summary>
    /// <param name="loop">The client's loop; it may be one of <see cref="Loops"/>, and then no thread is woken between the two.</param>
    /// <param name="handler">The client's side of the protocol.</param>
    /// <returns>The client's end of the connection.</returns>
    public Connection ConnectInProcess(EventLoop loop, ConnectionHandler handler) => ConnectInProcess(loop, handler, null);

    internal Connection ConnectInProcess(EventLoop loop, ConnectionHandler handler, string? user)
    {
        ArgumentNullException.ThrowIfNull(loop);
        ObjectDisposedException.ThrowIf(_disposed != 0, this);
        ThrowIfUnknown(user);
        EventLoop own = loop.Group == Loops ? loop : Loops.Next();
        var session = new ClientSession(_core, own, null, Monitoring.ClientTransport.InProcess, user);
        return InProcessLink.Create(loop, handler, own, session).First;
    }

    private void ThrowIfUnknown(string? user)
    {
        if (user is not null && _core.Security.Find(user) is null)
        {
            throw new ArgumentException($"There is no user '{user}'.", nameof(user));
        }
    }

    /// <summary>How many requests wait for answers from other accounts.</summary>
    internal int PendingReplies => _core.Accounts.All.Sum(a => a.Replies.Count);

    /// <summary>The router of those who are in no account of their own.</summary>
    internal Routing.Router RouterOfAll => _core.Accounts.Global.Router;

    /// <summary>How many clients events have looked at beside those that they are of.</summary>
    internal long LooksForEvents => _events.Looks;

    /// <summary>How often the subscriptions of a client were put in order for pages of them.</summary>
    internal long OrderedListings => _listings.Ordered;

    /// <summary>Publishes the statistics, as it does by itself every 10 s.</summary>
    internal void TellStatistics() => _events.TellStatistics();

    /// <summary>
    /// How many bytes wait for all clients now. Found by looking at each of them: for somebody who looks once a second, as while
    /// a drain goes on.
    /// </summary>
    public long PendingBytes => _core.Sessions.Sum(static s => s.PendingBytes);

    /// <summary>Its counters now.</summary>
    public ServerSnapshot Snapshot() => _core.Snapshot();

    /// <summary>Closes the listeners: whoever is connected stays, nobody new comes in.</summary>
    public void StopAccepting()
    {
        lock (_listeners)
        {
            foreach (Listener listener in _listeners)
            {
                listener.Dispose();
            }
        }
    }

    /// <summary>
    /// Stops accepting and reading, delivers what is queued, and closes every connection. What clients did not take by then
    /// is logged for each and counted in the result. Nothing that was read before is lost otherwise.
    /// </summary>
    /// <param name="timeout">How long clients may take; <see cref="Timeout.InfiniteTimeSpan"/> for as long as they like.</param>
    /// <param name="cancellationToken">
    /// Ends the time early: connections are closed at once, and the result counts what was still queued. Nothing is thrown.
    /// </param>
    /// <exception cref="ArgumentOutOfRangeException">The time is negative.</exception>
    public async Task<DrainReport> DrainAsync(TimeSpan timeout, CancellationToken cancellationToken = default)
    {
        if (timeout == Timeout.InfiniteTimeSpan)
        {
            timeout = TimeSpan.MaxValue;
        }

        ArgumentOutOfRangeException.ThrowIfLessThan(timeout, TimeSpan.Zero);
        StopAccepting();
        await _events.TellShutdownAsync(MostLooks * Look).ConfigureAwait(false);
        _core.IsLeaving = _core.IsDraining = true;
        await QuiesceAsync().ConfigureAwait(false);
        foreach (ClientSession session in _core.Sessions)
        {
            session.Channel.Leave(timeout);
        }

        // The connections close themselves, on their loops; a drain is rare and may look at the clock.
        long end = _core.Tick + (long)Math.Min(timeout.TotalMilliseconds, long.MaxValue / 2);
        bool cut = false;
        while (_core.HasSessions)
        {
            if (!cut && (cancellationToken.IsCancellationRequested || _core.Tick >= end))
            {
                // Those too that only wait for the peer to end its side.
                cut = true;
                foreach (ClientSession session in _core.Sessions)
                {
                    session.Channel.Leave(TimeSpan.Zero);
                }
            }

            await Task.Delay(Look, CancellationToken.None).ConfigureAwait(false);
        }

        return _core.Undelivered;
    }

    /// <inheritdoc/>
    /// <exception cref="InvalidOperationException">Called on the thread of one of its own loops.</exception>
    public async ValueTask DisposeAsync()
    {
        if (Interlocked.Exchange(ref _disposed, 1) != 0)
        {
            return;
        }

        StopAccepting();
        Loops.ConnectionBudget.Exhausted -= OnBudgetExhausted;
        if (!_core.IsLeaving)
        {
            await _events.TellShutdownAsync(Look).ConfigureAwait(false);
        }

        _core.IsLeaving = true;
        _events.Dispose();
        _core.Accounts.Dispose();
        foreach (ClientSession session in _core.Sessions)
        {
            session.Channel.Leave(TimeSpan.Zero);
        }

        if (_ownsLoops)
        {
            Loops.Dispose();
            return;
        }

        // The loops go on, and end the connections in their next turn; unless they have ended themselves.
        for (int looks = 0; _core.HasSessions && looks < MostLooks; looks++)
        {
            await Task.Delay(Look, CancellationToken.None).ConfigureAwait(false);
        }
    }

    private void OnBudgetExhausted(object? sender, HandledEventArgs e)
    {
        if (!e.Handled)
        {
            e.Handled = true;
            _core.Log.OutOfFiles(Loops.ConnectionBudget.Limit);
        }
    }

    // Returns when no loop reads for a client any more and what they had read is queued where it belongs. What a loop
    // stages in the turn of the first round, after what was posted, the second one hands over.
    private async Task QuiesceAsync()
    {
        for (int round = 0; round < 2; round++)
        {
            var rounds = new List<Task>(Loops.Count);
            for (int i = 0; i < Loops.Count; i++)
            {
                var passed = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
                EventLoop loop = Loops[i];
                loop.Post(() =>
                {
                    // A turn's end may hand over a part of it only.
                    while (loop.FlushBacklog > 0)
                    {
                        loop.FlushWriteBuffers();
                    }

                    passed.SetResult();
                });
                rounds.Add(passed.Task);
            }

            // Loops that somebody else has ended run nothing any more.
            await Task.WhenAny(Task.WhenAll(rounds), Task.Delay(MostLooks * Look, CancellationToken.None)).ConfigureAwait(false);
        }
    }

    private void Listen()
    {
        foreach (EndPoint endPoint in _core.Options.EndPoints)
        {
            try
            {
                // Until the port is known; somebody may come in before that is said.
                _core.Advertised ??= endPoint;
                Listener listener = Listener.Start(Loops, endPoint, (loop, from) => new ClientSession(_core, loop, from));
                if (_core.Advertised == endPoint)
                {
                    _core.Advertised = listener.EndPoint;
                }

                lock (_listeners)
                {
                    _listeners.Add(listener);
                }
            }
            catch (SocketException e)
            {
                throw new ListenException(endPoint, e);
            }

            _core.Log.Listening(_listeners[^1].EndPoint);
        }

        _core.Log.Ready(_core.Identity.Name, _core.Identity.Id);
    }
}
