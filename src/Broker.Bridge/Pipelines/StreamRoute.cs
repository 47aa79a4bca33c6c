using System.Text;
using Broker.Client;
using Broker.ZeroMq;

namespace Broker.Bridge;

/// <summary>A pipeline through a JetStream work queue.</summary>
internal sealed class StreamRoute : PipelineRoute
{
    // The interval at which a consumer that delivers nothing is checked.
    private const int TicksBetweenChecks = 5;

    private const int MostEgresses = 1024;

    private readonly StreamApi _api;
    private readonly string _answers;
    private readonly StreamIngress<PipelineConnection>? _ingress;
    private readonly StreamEgress<PipelineConnection, PushSink>? _egress;
    private string _deliveries;
    private Subscription? _delivering;
    private bool _isPreparing;
    private string? _lastFailure;
    private bool _refusalLogged;
    private bool _givenUpLogged;

    // Counts the servers that were connected, including the present one.
    private int _servers;
    private bool _malformedLogged;
    private bool _isChecking;
    private long _skipped;

    internal StreamRoute(PushPullRouteOptions options, RouteContext context)
        : base(options, context)
    {
        StreamQueueOptions stream = options.Stream!;
        _api = new StreamApi(context.Client, stream);
        _answers = context.NewInbox();
        _deliveries = context.NewInbox();
        PipelineLimits limits = new() { Window = options.Window, WindowBytes = options.WindowBytes, MostSilentTicks = (int)options.PeerTimeout.TotalSeconds };
        var pool = new PipelineMemoryPool();
        if (Pull is not null)
        {
            _ingress = new StreamIngress<PipelineConnection>(
                options.Subject, PipelineSubjects.NewId(), stream.Stream, _answers, PipelineClient, pool, limits)
            {
                OnRoom = ResumePushers,
                OnUnsendable = ReportUnsendable,
                OnRefused = OnRefused,
                OnGivenUp = OnGivenUp,
                MostBytes = stream.MaxBytes == 0 ? long.MaxValue : stream.MaxBytes,
                Spans = IngressSpans.Create(context.Tracer, options.Subject, options.Name),
            };
        }

        if (Push is not null)
        {
            int holdTicks = Math.Max(1, (int)stream.AckWait.TotalSeconds / 3);
            _egress = new StreamEgress<PipelineConnection, PushSink>(_api.NextSubject, _deliveries, holdTicks, PipelineClient, new PushSink(Push), pool, limits)
            {
                OnMalformed = OnMalformed,
            };
        }
    }

    private protected override IPipelineEgress? Egress => _egress;

    private protected override long InFlight => _ingress?.Counters.InFlight ?? 0;

    internal override void OnWritable() => _ingress?.OnWritable();

    internal override RouteSnapshot Snapshot()
    {
        IngressCounters into = _ingress?.Counters ?? new IngressCounters();
        EgressCounters outOf = _egress?.Counters ?? new EgressCounters();
        return PushPullRouteSnapshot.Of(this, into, outOf) with
        {
            Waiting = _egress?.Waiting ?? 0,
            Window = Options.Window,
            Credit = _ingress is { IsReady: true } && Server.IsConnected ? Math.Max(0, Options.Window - into.InFlight) : 0,
        };
    }

    private protected override void Subscribe()
    {
        if (_ingress is not null)
        {
            Add(_answers + ".*", OnAnswer);
        }

        SubscribeDeliveries();
    }

    private protected override void OnConnected()
    {
        _servers++;
        _refusalLogged = false;
        if (_ingress is not null)
        {
            _ingress.IsReady = false;
        }

        if (_egress is not null)
        {
            _egress.IsReady = false;
            if (_delivering is not null)
            {
                Remove(_delivering);
            }

            _deliveries = Context.NewInbox();
            SubscribeDeliveries();
        }

        Prepare();
    }

    private protected override void TickIngress()
    {
        if (_ingress is { IsReady: false } || _egress is { IsReady: false })
        {
            Prepare();
        }

        _ingress?.Tick();
    }

    private protected override void Tick()
    {
        base.Tick();
        if (_egress is not null)
        {
            CheckConsumer();
        }
    }

    private protected override bool TryAccept(ZeroMqPeer peer, ReadOnlySpan<byte> body, int frames)
        => _ingress!.TryAccept(body, frames);

    private protected override void End()
    {
        _ingress?.Close();
        _egress?.Close();
        _api.Dispose();
    }

    private void SubscribeDeliveries()
    {
        if (_egress is not null)
        {
            _delivering = Add(
                _deliveries + ".*", (in MessageView message) => _egress.OnMessage(message.Subject, message.ReplyTo, message.Headers, message.Body));
        }
    }

    private void OnAnswer(in MessageView message)
    {
        ReadOnlySpan<byte> token = message.Subject[(message.Subject.LastIndexOf((byte)'.') + 1)..];
        _ingress!.OnAnswer(token, message.Headers, message.Body);
    }

    private void OnRefused(ReadOnlySpan<byte> answer)
    {
        if (!_refusalLogged)
        {
            _refusalLogged = true;
            Log.StreamRefuses(Text(answer));
        }
    }

    private void OnGivenUp(ReadOnlySpan<byte> answer)
    {
        if (!_givenUpLogged)
        {
            _givenUpLogged = true;
            Log.NotMapped("the stream can never store it: " + Text(answer));
        }
    }

    private static string Text(ReadOnlySpan<byte> answer)
        => Encoding.UTF8.GetString(answer[..Math.Min(answer.Length, 256)]).ReplaceLineEndings(" ");

    private void OnMalformed()
    {
        if (!_malformedLogged)
        {
            _malformedLogged = true;
            Log.NotMapped("its frame lengths do not match its Zmq-Frames header; it was removed from the stream");
        }
    }

    // Looks up the stream and the consumer, and creates them if necessary. Each server needs this, because it may
    // belong to another system.
    private void Prepare()
    {
        if (!_isPreparing && Server.IsConnected)
        {
            _isPreparing = true;
            _ = PrepareAsync(_servers);
        }
    }

    // No egress receives messages that the consumer has skipped. If the options permit it, the route creates the
    // consumer again.
    private void CheckConsumer()
    {
        if (_egress!.TicksWithoutMessages == 0)
        {
            _skipped = 0;
        }
        else if (_egress.TicksWithoutMessages % TicksBetweenChecks == 0 && Options.Stream!.Create && !_isChecking && Server.IsConnected)
        {
            _isChecking = true;
            _ = CheckConsumerAsync(_skipped);
        }
    }

    private async Task CheckConsumerAsync(long before)
    {
        long skipped = 0;
        bool isReady = true;
        try
        {
            skipped = await _api.CountSkippedAsync().ConfigureAwait(false);
            if (skipped > 0 && skipped == before)
            {
                // Two checks found the same number of messages, so the consumer makes no progress.
                isReady = false;
                Log.StreamMessagesSkipped(Options.Stream!.Stream, skipped, Options.Stream.Consumer);
                await _api.RecreateConsumerAsync().ConfigureAwait(false);
                isReady = true;
                skipped = 0;
            }
        }
        catch (Exception)
        {
            // The route checks again later, and prepares again if the consumer may not exist.
            skipped = 0;
        }

        Loop.Post(() =>
        {
            _isChecking = false;
            _skipped = skipped;
            _egress!.IsReady &= isReady;
        });
    }

    // The limit must cover the messages of all egresses. Otherwise egresses whose PULL programs take nothing would stop
    // the consumer for the other egresses.
    private static int MostUnacknowledged(int window) => (int)Math.Min((long)window * MostEgresses, int.MaxValue);

    private async Task PrepareAsync(int server)
    {
        string? failure = null;
        try
        {
            await _api.EnsureStreamAsync(Options.Subject).ConfigureAwait(false);
            if (_egress is not null)
            {
                await _api.EnsureConsumerAsync(MostUnacknowledged(Options.Window)).ConfigureAwait(false);
            }
        }
        catch (Exception e)
        {
            // Catches every exception: without a result, the route would never try again.
            failure = e.Message;
        }

        Loop.Post(() => OnPrepared(server, failure));
    }

    private void OnPrepared(int server, string? failure)
    {
        _isPreparing = false;
        if (server != _servers)
        {
            // The result belongs to an earlier server.
            Prepare();
            return;
        }

        if (failure is not null)
        {
            // The route tries again at the next tick and logs each failure once.
            if (!string.Equals(failure, _lastFailure, StringComparison.Ordinal))
            {
                _lastFailure = failure;
                Log.StreamAbsent(Options.Stream!.Stream, failure);
            }

            return;
        }

        _lastFailure = null;
        if (_ingress is { IsReady: false })
        {
            _ingress.IsReady = true;
            _ingress.OnConnected();
        }

        if (_egress is { IsReady: false })
        {
            _egress.IsReady = true;
            _egress.OnConnected(_deliveries);
        }
    }
}
