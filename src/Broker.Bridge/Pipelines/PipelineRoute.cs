using System.Diagnostics;
using Broker.Bridge.Routes;
using Broker.Client.Publishing;
using Broker.Client.Subscriptions;
using Broker.Transport;
using Broker.ZeroMq.Pipeline;
using Broker.ZeroMq.Sockets;
using Broker.ZeroMq.Zmtp.Framing;

namespace Broker.Bridge.Pipelines;

/// <summary>What both forms of a pipeline have: a PULL socket in front and a PUSH socket behind, both on the connection's loop.</summary>
internal abstract class PipelineRoute : BridgeRoute
{
    private const int MostFrames = 1024;
    private const int MostCommandBytes = 64 * 1024;

    private static readonly TimeSpan TickInterval = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan Look = TimeSpan.FromMilliseconds(5);

    private readonly List<Subscription> _subscriptions = [];
    private readonly ReceivedPayload _payload = new();
    private readonly Action _tick;
    private LoopTimer? _timer;
    private bool _isEnding;
    private bool _unsendableTold;
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
            Limits = new ZmtpLimits(options.MaxMessageSize, options.MaxMessageSize, MostFrames, MostCommandBytes),
            Security = options.Security,
            Authenticate = options.Authenticate,
            OnEvent = Log.ZeroMq,
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

    /// <summary>What PUSH programs push into; null for a route without.</summary>
    private protected LoopPull? Pull { get; }

    /// <summary>What PULL programs take from; null for a route without.</summary>
    private protected LoopPush? Push { get; }

    private protected ConnectionWire.Presence Server { get; } = new();

    private protected ConnectionWire Wire => new(Client, Server);

    /// <summary>Whether PUSH has no PULL with room now. On the loop.</summary>
    private protected bool IsPushFull { get; private set; }

    internal IReadOnlyList<string> PusherEndpoints { get; private set; } = [];

    internal IReadOnlyList<string> PullerEndpoints { get; private set; } = [];

    /// <summary>PUSH programs now.</summary>
    internal int Pushers => Pull?.Peers.Count ?? 0;

    /// <summary>PULL programs now.</summary>
    internal int Pullers => Push?.Peers.Count ?? 0;

    /// <summary>How many messages were accepted and are kept. Any thread.</summary>
    private protected abstract long InFlight { get; }

    internal override void Start()
    {
        Subscribe();
        _timer = Loop.StartTimer(TickInterval, _tick);
    }

    internal override void Open()
    {
        // PULLs first: what the first PUSH sends may be for them.
        PullerEndpoints = Push is null ? [] : Open(Push, Options.Pullers);
        PusherEndpoints = Pull is null ? [] : Open(Pull, Options.Pushers);
    }

    internal override void OnServerLost() => Server.IsThere = false;

    internal override void OnServerBack()
    {
        Server.IsThere = true;
        OnConnected();
    }

    internal override Task StopIngressAsync() => _ingressStopped ??= StopIngressCoreAsync();

    internal override Task<long> CloseAsync(TimeSpan linger) => _closed ??= CloseCoreAsync(linger);

    /// <summary>Makes the subscriptions, by <see cref="Add"/>. On the loop.</summary>
    private protected abstract void Subscribe();

    /// <summary>There is a server. On the loop.</summary>
    private protected abstract void OnConnected();

    /// <summary>PUSH has room again. On the loop.</summary>
    private protected abstract void OnPushRoom();

    /// <summary>A second has passed. On the loop.</summary>
    private protected abstract void Tick();

    /// <summary>Takes a message of a PUSH program, or says that there is no room for it. On the loop.</summary>
    private protected abstract bool TryAccept(ZeroMqPeer peer, ReadOnlySpan<byte> body, int frames);

    /// <summary>Takes nothing more out; what PUSH has not taken is for others. On the loop.</summary>
    private protected abstract void EndEgress();

    /// <summary>The end. On the loop.</summary>
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

    /// <summary>The connection does not take a message, and will not as long as it has this server; PUSH programs wait for another. On the loop.</summary>
    private protected void ReportUnsendable(PublishStatus status)
    {
        if (!_unsendableTold)
        {
            _unsendableTold = true;
            Log.Unsendable(status == PublishStatus.HeadersNotSupported ? "it takes no headers" : "the subjects of the pipeline are longer than its max_control_line");
        }
    }

    /// <summary>Goes on with PUSH programs that were held up. On the loop.</summary>
    private protected void ResumePushers() => Pull?.ResumeReceiving();

    /// <summary>Whether there is nobody whom PUSH could give a message to, not even soon. On the loop.</summary>
    private protected bool HasNoPuller => IsPushFull && Push is { Peers.Count: 0 };

    private bool OnZeroMqMessage(ZeroMqPeer peer, in ZmtpMessage message) => TryAccept(peer, _payload.Of(message), message.FrameCount);

    private void OnPushWritable()
    {
        IsPushFull = false;
        if (!_isEnding)
        {
            OnPushRoom();
        }
    }

    private void OnTick()
    {
        _timer = Loop.StartTimer(TickInterval, _tick);
        Tick();
    }

    private async Task StopIngressCoreAsync()
    {
        if (Pull is null)
        {
            return;
        }

        await Pull.CloseAsync(TimeSpan.Zero).ConfigureAwait(false);
        long since = Stopwatch.GetTimestamp();
        while (InFlight > 0 && Stopwatch.GetElapsedTime(since) < Options.StopTimeout && Client.State != Broker.Client.ConnectionState.Closed)
        {
            await Task.Delay(Look).ConfigureAwait(false);
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
            // From who had not heard yet that nothing is wanted.
            EndEgress();
            _timer?.Cancel();
            _subscriptions.ForEach(subscription => subscription.Unsubscribe());
            End();
        }).ConfigureAwait(false);
        return undelivered;
    }
}
