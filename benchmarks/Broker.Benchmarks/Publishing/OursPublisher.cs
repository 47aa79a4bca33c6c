using System.Globalization;
using Broker.Benchmarks.Running;
using Broker.Client;
using Broker.Client.Publishing;

namespace Broker.Benchmarks.Publishing;

/// <summary>Ours as shipped: a thread publishes, and waits for an answer behind it.</summary>
/// <param name="port">Where the sink is.</param>
/// <param name="maxPendingBytes">How far ahead of it the thread may be.</param>
internal sealed class OursPublisher(int port, long maxPendingBytes) : IDisposable
{
    private readonly BrokerConnection _connection = BrokerConnection.ConnectAsync(
        new() { Servers = [string.Create(CultureInfo.InvariantCulture, $"127.0.0.1:{port}")], MaxPendingBytes = maxPendingBytes, ConnectTimeout = TimeSpan.FromMinutes(1) })
        .GetAwaiter().GetResult();

    private readonly ManualResetEventSlim _answered = new();

    internal void Publish(ReadOnlySpan<byte> body, int messages)
    {
        for (int i = 0; i < messages; i++)
        {
            PublishStatus status;
            while ((status = _connection.TryPublish("foo"u8, body)) == PublishStatus.PendingLimit)
            {
                Thread.Yield();
            }

            Agreement.Require(status == PublishStatus.Accepted);
        }

        _answered.Reset();
        _connection.Barrier(static (answered, _) => ((ManualResetEventSlim)answered!).Set(), _answered);
        _answered.Wait();
    }

    public void Dispose()
    {
        _connection.DisposeAsync().AsTask().GetAwaiter().GetResult();
        _answered.Dispose();
    }
}
