using Broker.Client;

namespace Broker.Cli.Bench;

/// <summary>Creates the senders and receivers of a measurement with ZeroMQ.</summary>
internal sealed class BenchParts(
    BenchSettings settings, ZeroMqBenchSettings places, BenchCounts counts, BenchProbe probe, Func<Task<BrokerConnection>>? connect)
{
    public async Task<IBenchSender> CreateSenderAsync(CancellationToken stop)
        => places.SendsZeroMq ? new ZeroMqSender(places, counts) : new NatsSender(await ConnectAsync(stop), settings, places, counts);

    public async Task<IBenchReceiver> CreateReceiverAsync(CancellationToken stop)
        => places.ReceivesZeroMq ? new ZeroMqReceiver(places, counts, probe) : new NatsReceiver(await ConnectAsync(stop), places, counts, probe);

    private async Task<BrokerConnection> ConnectAsync(CancellationToken stop)
    {
        stop.ThrowIfCancellationRequested();
        return await connect!();
    }
}
