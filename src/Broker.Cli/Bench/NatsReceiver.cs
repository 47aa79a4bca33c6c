using Broker.Client;

namespace Broker.Cli.Bench;

/// <summary>A NATS client that subscribes or replies behind a bridge.</summary>
internal sealed class NatsReceiver(BrokerConnection connection, ZeroMqBenchSettings places, BenchCounts counts, BenchProbe probe) : IBenchReceiver
{
    private bool _wasProbed;

    public string? Away => null;

    public IReadOnlyList<string> Open(IReadOnlyList<string> senders) => [];

    public Task StartAsync(CancellationToken end)
    {
        if (places.Sockets == ZeroMqSockets.RequestReply)
        {
            connection.Subscribe(
                places.Subject!,
                (in m) =>
                {
                    probe.Takes(m.Body, ref _wasProbed);
                    m.Respond(m.Body);
                },
                "bench");
            return connection.FlushAsync(end);
        }

        BenchCounter counter = counts.AddReceiver();
        connection.Subscribe(places.Subject!, (in m) =>
        {
            if (!probe.Takes(m.Body, ref _wasProbed))
            {
                counter.Count(m.Body.Length);
            }
        });
        return connection.FlushAsync(end);
    }

    public ValueTask DisposeAsync() => connection.DisposeAsync();
}
