using System.Diagnostics;
using Broker.Client;
using Broker.Transport;
using Broker.ZeroMq;
using Broker.ZeroMq.Loops;

namespace Broker.Bridge;

/// <summary>
/// The common part of all PUSH/PULL routes: a PULL socket for PUSH programs and a PUSH socket for PULL programs, both
/// on the connection's loop.
/// </summary>
internal abstract class PipelineRoute : BridgeRoute
{
    private const int MostCommandBytes = 64 * 1024;

    private static readonly TimeSpan TickInterval = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan PollInterval = TimeSpan.FromMilliseconds(5);

    private readonly List<Subscription> _subscriptions = [];
    private readonly ReceivedPayload _payload = new();
    private readonly Action _tick;
    private LoopTimer? _timer;
    private bool _isEnding;

    // Whether the egress takes messages although the route is paused, because the process stops.
    private bool _mustDeliver;
    private bool _unsendableLogged;
    private int _ticksWithoutPuller;
    private Task? _ingressStopped;
    private Task<long>? _closed;

    private protected PipelineRoute(PushPullRouteOptions options, RouteContext context)
        : base(options, context)
    {
        Options = options;
        _tick = OnTick;
        LoopMessageOptions sockets = new()
        {
            MaxPeers = options.MaxPeers,
            HeartbeatInterval = options.HeartbeatInterval,
            SendHighWaterMark = options.HighWaterMark,
            SendHighWaterBytes = options.HighWaterBytes,
            Limits = new ZmtpLimits(options.MaxMessageSize, options.MaxMessageSize, options.MaxFrames, MostCommandBytes),
            Security = options.Security,
            Authenticate = options.Authenticate,
            OnEvent = Log.ZeroMq,
            Inproc = context.Inproc,
        };
        Pull = options.Pushers.Count == 0 ? null : new LoopPull(context.Loop, OnZeroMqMessage, sockets);
        Push = options.Pullers.Count == 0 ? null : new LoopPush(context.Loop, sockets)
        {
            OnWritable = OnPushWritable,
            OnUnwritable = () => IsPushFull = true,
        };
        IsPushFull = true;
    }

    private protected PushPullRouteOptions Options { get; }

    /// <summary>The socket that PUSH programs push to; null if the route has no endpoint for them.</summary>
    private protected LoopPull? Pull { get; }

    /// <summary>The socket that PULL programs pull from; null if the route has no endpoint for them.</summary>
    private protected LoopPush? Push { get; }

    private protected PipelineConnection.ServerState Server { get; } = new();

    private protected PipelineConnection PipelineClient => new(Client, Server);

    /// <summary>Whether no PULL program can take a message now. Used on the loop.</summary>
    private protected bool IsPushFull { get; private set; }

    internal IReadOnlyList<string> PusherEndpoints { get; private set; } = [];

    internal IReadOnlyList<string> PullerEndpoints { get; private set; } = [];

    /// <summary>The number of messages that the sockets refused because of their frames or their size.</summary>
    internal long SocketRefused => (Pull?.MessagesRefused ?? 0) + (Push?.MessagesRefused ?? 0);

    /// <summary>The number of PUSH programs that are connected now.</summary>
    internal int Pushers => Pull?.Peers.Count ?? 0;

    /// <summary>The number of PULL programs that are connected now.</summary>
    internal int Pullers => Push?.Peers.Count ?? 0;

    /// <summary>Whether the egress takes no messages, as if no PULL program were connected. Used on the loop.</summary>
    private protected virtual bool IsEgressClosed => IsPaused && !_mustDeliver;

    /// <summary>The egress; null if the route has none.</summary>
    private protected abstract IPipelineEgress? Egress { get; }

    /// <summary>The number of messages that were accepted and are still kept. May be read on any thread.</summary>
    private protected abstract long InFlight { get; }

    internal override void Start()
    {
        Subscribe();
        _timer = Loop.StartTimer(TickInterval, _tick);
    }

    internal override void Open()
    {
        // Binds the endpoints for PULL programs first, because they may receive the first messages of the PUSH
        // programs.
        PullerEndpoints = Push is null ? [] : Open(Push, Options.Pullers);
        PusherEndpoints = Pull is null ? [] : Open(Pull, Options.Pushers);
    }

    internal override void OnServerLost() => Server.IsConnected = false;

    internal override void OnServerConnected()
    {
        Server.IsConnected = true;
        OnConnected();
    }

    internal override Task DeliverBeforeStopAsync() => OnLoopAsync(() =>
    {
        _mustDeliver = true;
        UpdateEgress();
    });

    internal override Task StopIngressAsync() => _ingressStopped ??= StopIngressCoreAsync();

    internal override Task<long> CloseAsync(TimeSpan linger) => _closed ??= CloseCoreAsync(linger);

    /// <summary>Creates the subscriptions with <see cref="Add"/>. Called on the loop.</summary>
    private protected abstract void Subscribe();

    /// <summary>Called on the loop when a server is connected.</summary>
    private protected abstract void OnConnected();

    /// <summary>Called on the loop each second, before the egress.</summary>
    private protected abstract void TickIngress();

    /// <summary>
    /// Accepts a message of a PUSH program; returns false if there is no capacity. Called on the loop.
    /// </summary>
    private protected abstract bool TryAccept(ZeroMqPeer peer, ReadOnlySpan<byte> body, int frames);

    /// <summary>
    /// Stops taking messages from subjects, and returns those that PUSH has not taken. Called on the loop.
    /// </summary>
    private protected virtual void EndEgress() => Egress?.Release();

    /// <summary>Releases the resources of the route. Called on the loop.</summary>
    private protected abstract void End();

    private protected Subscription Add(string filter, MessageHandler handler)
    {
        Subscription subscription = Client.Subscribe(filter, handler);
        _subscriptions.Add(subscription);
        return subscription;
    }

    private protected void Remove(Subscription subscription)
    {
        _subscriptions.Remove(subscription);
        subscription.Unsubscribe();
    }

    /// <summary>
    /// Logs that the connected server can never accept a message. PUSH programs wait for another server. Called on the
    /// loop.
    /// </summary>
    private protected void ReportUnsendable(PublishStatus status)
    {
        if (!_unsendableLogged)
        {
            _unsendableLogged = true;
            Log.Unsendable(
                status == PublishStatus.HeadersNotSupported
                    ? "it does not support headers"
                    : "the subjects of the pipeline are longer than its max_control_line");
        }
    }

    /// <summary>Resumes the waiting PUSH programs unless the route is paused. Called on the loop.</summary>
    private protected void ResumePushers()
    {
        if (!IsPaused)
        {
            Pull?.ResumeReceiving();
        }
    }

    private protected override void OnPauseChanged()
    {
        UpdateEgress();
        ResumePushers();
    }

    /// <summary>Must be called when <see cref="IsEgressClosed"/> has changed. Called on the loop.</summary>
    private protected void UpdateEgress()
    {
        if (_isEnding || Egress is not { } egress)
        {
            return;
        }

        if (!IsEgressClosed)
        {
            OpenEgress(egress);
        }
        else if (egress.IsOpen)
        {
            egress.Release();
        }
    }

    /// <summary>Whether no PULL program is connected. Used on the loop.</summary>
    private bool HasNoPuller => IsPushFull && Push is { Peers.Count: 0 };

    private bool OnZeroMqMessage(ZeroMqPeer peer, in ZmtpMessage message)
        => !IsPaused && TryAccept(peer, _payload.Convert(message), message.FrameCount);

    private void OnPushWritable()
    {
        IsPushFull = false;
        if (!_isEnding && Egress is { } egress)
        {
            OpenEgress(egress);
        }
    }

    private void OpenEgress(IPipelineEgress egress)
    {
        if (IsPushFull || IsEgressClosed)
        {
            return;
        }

        if (!egress.IsOpen)
        {
            egress.Open();
        }

        egress.Drain();
    }

    private void OnTick()
    {
        _timer = Loop.StartTimer(TickInterval, _tick);
        Tick();
    }

    // Releases the messages of the egress only in the second tick without a PULL program, so that a program that
    // reconnects at once still finds its messages here.
    private protected virtual void Tick()
    {
        TickIngress();
        if (Egress is not { } egress)
        {
            return;
        }

        _ticksWithoutPuller = HasNoPuller ? _ticksWithoutPuller + 1 : 0;
        if (_ticksWithoutPuller > 1 && egress.IsOpen)
        {
            egress.Release();
        }

        egress.Tick();
    }

    private async Task StopIngressCoreAsync()
    {
        if (Pull is null)
        {
            return;
        }

        await Pull.CloseAsync(TimeSpan.Zero).ConfigureAwait(false);
        await DeliverBeforeStopAsync().ConfigureAwait(false);
        long since = Stopwatch.GetTimestamp();
        while (InFlight > 0 && Stopwatch.GetElapsedTime(since) < Options.StopTimeout
            && Client.State != Broker.Client.ConnectionState.Closed)
        {
            await Task.Delay(PollInterval).ConfigureAwait(false);
        }

        if (InFlight is > 0 and var left)
        {
            Log.Unacknowledged(left);
        }
    }

    private async Task<long> CloseCoreAsync(TimeSpan linger)
    {
        await StopIngressAsync().ConfigureAwait(false);
        await OnLoopAsync(() =>
        {
            _isEnding = true;
            EndEgress();
        }).ConfigureAwait(false);
        long undelivered = Push is null ? 0 : (await Push.CloseAsync(linger).ConfigureAwait(false)).Undelivered;
        await OnLoopAsync(() =>
        {
            // Returns messages from ingresses that had not received the earlier release yet.
            EndEgress();
            _timer?.Cancel();
            _subscriptions.ForEach(subscription => subscription.Unsubscribe());
            End();
        }).ConfigureAwait(false);
        return undelivered;
    }
}
