using System.Globalization;
using Broker.Client;

namespace Broker.Cli.Bench;

/// <summary>
/// ZeroMQ sockets that send to each other, or to a bridge. NATS clients can take the place of one side, behind the
/// bridge.
/// </summary>
/// <param name="settings">The number and size of the messages, and the number of sockets.</param>
/// <param name="places">The kind and the endpoints of the sockets.</param>
/// <param name="connect">Opens a connection to the NATS server; null if both sides are ZeroMQ sockets.</param>
/// <param name="isRefused">Returns whether the NATS server has refused a part of the traffic.</param>
internal sealed class ZeroMqTraffic(
    BenchSettings settings, ZeroMqBenchSettings places, Func<Task<BrokerConnection>>? connect, Func<bool> isRefused) : IBenchTraffic
{
    private static readonly TimeSpan Look = TimeSpan.FromMilliseconds(10);

    private readonly List<IBenchReceiver> _receivers = [];
    private readonly List<IBenchSender> _senders = [];
    private readonly ReadOnlyMemory<byte>[] _bodies = settings.Size.CreateBodies();
    private readonly BenchProbe _probe = new();
    private readonly CancellationTokenSource _end = new();

    public string Server => places.Name;

    public string? Address => (places.From ?? places.To) is { } endpoint ? endpoint[(endpoint.IndexOf("//", StringComparison.Ordinal) + 2)..] : null;

    public BenchCounts Counts { get; } = new();

    public bool WasRefused => isRefused();

    public async Task OpenAsync(CancellationToken stop)
    {
        var parts = new BenchParts(settings, places, Counts, _probe, connect);
        // In a direct measurement, the side that a ZeroMQ program usually binds does so: PULL, PUB and REP.
        bool sendersBind = places.IsDirect && places.Sockets == ZeroMqSockets.PublishSubscribe;
        string[] bound = [];
        if (sendersBind)
        {
            bound = await OpenSendersAsync(parts, [], stop);
        }

        bound = await OpenReceiversAsync(parts, bound, stop);
        if (!sendersBind)
        {
            await OpenSendersAsync(parts, bound, stop);
        }

        await ProbeAsync(stop);
    }

    public Task[] Start(CancellationToken end)
        => [.. _senders.Select((sender, i) => Task.Run(() => SendAsync(sender, Counts.AddSender(), settings.Share(_senders.Count, i), end), CancellationToken.None))];

    public async ValueTask DisposeAsync()
    {
        await _end.CancelAsync();
        foreach (IAsyncDisposable part in _senders.Concat<IAsyncDisposable>(_receivers))
        {
            await part.DisposeAsync();
        }

        _end.Dispose();
    }

    private async Task<string[]> OpenReceiversAsync(BenchParts parts, string[] senders, CancellationToken stop)
    {
        var bound = new List<string>();
        for (int i = 0; i < settings.Subscribers; i++)
        {
            IBenchReceiver receiver = await parts.CreateReceiverAsync(stop);
            _receivers.Add(receiver);
            bound.AddRange(receiver.Open(senders));
            await receiver.StartAsync(_end.Token);
        }

        return [.. bound];
    }

    private async Task<string[]> OpenSendersAsync(BenchParts parts, string[] receivers, CancellationToken stop)
    {
        var bound = new List<string>();
        for (int i = 0; i < settings.Publishers; i++)
        {
            IBenchSender sender = await parts.CreateSenderAsync(stop);
            _senders.Add(sender);
            bound.AddRange(sender.Open(receivers));
        }

        return [.. bound];
    }

    // PUSH and REQ deliver each message to one receiver, so one arrived probe shows that the way is open.
    private async Task ProbeAsync(CancellationToken stop)
    {
        using var late = CancellationTokenSource.CreateLinkedTokenSource(stop);
        late.CancelAfter(places.ConnectTimeout);
        int wanted = places.Sockets == ZeroMqSockets.PublishSubscribe ? _receivers.Count : 1;
        try
        {
            do
            {
                foreach (IBenchSender sender in _senders)
                {
                    await sender.SendAsync(_probe.Body, late.Token);
                }

                await Task.Delay(Look, late.Token);
            }
            while (_probe.Arrived < wanted);
        }
        catch (Exception e) when (e is OperationCanceledException or TimeoutException && !stop.IsCancellationRequested)
        {
            throw new IOException(Missing(), e);
        }
    }

    private string Missing()
    {
        string time = string.Create(CultureInfo.InvariantCulture, $"{places.ConnectTimeout.TotalSeconds:0.###} s");
        string? away = _senders.Select(static s => s.Away).Concat(_receivers.Select(static r => r.Away)).FirstOrDefault(static endpoint => endpoint is not null);
        return away is not null
            ? $"no ZeroMQ program has answered at {away} within {time}"
            : $"no message came from {places.From ?? places.Subject} to {places.To ?? places.Subject} within {time}: look whether a route of the bridge joins them";
    }

    private async Task SendAsync(IBenchSender sender, BenchCounter counter, long count, CancellationToken end)
    {
        try
        {
            for (long i = 0; i < count && !end.IsCancellationRequested; i++)
            {
                ReadOnlyMemory<byte> body = _bodies[i % _bodies.Length];
                if (await sender.SendAsync(body, end))
                {
                    counter.Count(body.Length);
                }
                else
                {
                    Counts.CountUnanswered();
                }
            }
        }
        catch (OperationCanceledException) when (end.IsCancellationRequested)
        {
            // The measurement has ended while the socket waited for its peer. This message was not sent.
        }

        await sender.FlushAsync();
    }
}
