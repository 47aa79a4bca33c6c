using Broker.Client;

namespace Broker.Cli.Tests.Top;

/// <summary>A client that publishes to its own subscription until the end of the test.</summary>
internal sealed class TrafficOf : IAsyncDisposable
{
    private readonly CancellationTokenSource _end = new();
    private readonly Task _loop;

    private TrafficOf(BrokerConnection client, TaskCompletionSource received)
    {
        client.Subscribe("numbers", (in _) => received.TrySetResult());
        _loop = Task.Run(() => PublishAsync(client), CancellationToken.None);
    }

    /// <summary>Starts the traffic, and returns when the first message has arrived.</summary>
    public static async Task<TrafficOf> StartAsync(BrokerConnection client)
    {
        TaskCompletionSource received = Wait.Source();
        var traffic = new TrafficOf(client, received);
        await Wait.For(received);
        return traffic;
    }

    public async ValueTask DisposeAsync()
    {
        await _end.CancelAsync();
        await _loop;
        _end.Dispose();
    }

    private async Task PublishAsync(BrokerConnection client)
    {
        while (!_end.IsCancellationRequested)
        {
            await client.PublishAsync("numbers", "hello"u8.ToArray(), cancellationToken: CancellationToken.None);
            await client.FlushAsync(CancellationToken.None);
            await Task.Delay(TimeSpan.FromMilliseconds(1), CancellationToken.None);
        }
    }
}
