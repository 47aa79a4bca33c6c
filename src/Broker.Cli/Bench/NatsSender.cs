using System.Diagnostics;
using Broker.Client;

namespace Broker.Cli.Bench;

/// <summary>A NATS client that publishes or sends requests to a bridge.</summary>
internal sealed class NatsSender(BrokerConnection connection, BenchSettings settings, ZeroMqBenchSettings places, BenchCounts counts) : IBenchSender
{
    public string? Away => null;

    public IReadOnlyList<string> Open(IReadOnlyList<string> receivers) => [];

    public async ValueTask<bool> SendAsync(ReadOnlyMemory<byte> body, CancellationToken end)
    {
        if (settings.Pattern != BenchPattern.Request)
        {
            await connection.PublishAsync(places.Subject!, body, cancellationToken: end);
            return true;
        }

        long begin = Stopwatch.GetTimestamp();
        try
        {
            await connection.RequestAsync(places.Subject!, body, cancellationToken: end);
            counts.RecordSince(begin);
            return true;
        }
        catch (Exception e) when (e is TimeoutException or NoRespondersException)
        {
            return false;
        }
    }

    public Task FlushAsync() => connection.FlushAsync(CancellationToken.None);

    public ValueTask DisposeAsync() => connection.DisposeAsync();
}
