using System.Globalization;
using System.Text;
using Broker.Benchmarks.Peers;
using Broker.Client;
using Broker.Transport;

namespace Broker.Benchmarks.Receiving;

/// <summary>
/// This project's client with default settings: with a handler on the loop, or with a subscription's queue and another
/// thread.
/// </summary>
internal sealed class OursReceiver(bool queued) : IReceiver
{
    private readonly EventLoopGroup _loops = new(new EventLoopOptions { Loops = 1, IdlePolls = 0 });
    private readonly Tally _tally = new();
    private BrokerConnection? _connection;
    private Task _reading = Task.CompletedTask;

    public long Received => _tally.Received;

    public ulong Sum => _tally.Sum;

    public void Start(int port, ReadOnlySpan<byte> filter)
    {
        string subject = Encoding.ASCII.GetString(filter[..^1]);
        _connection = BrokerConnection.ConnectAsync(
            new() { Servers = [string.Create(CultureInfo.InvariantCulture, $"127.0.0.1:{port}")], Loops = _loops, ConnectTimeout = TimeSpan.FromMinutes(1) })
            .GetAwaiter().GetResult();
        if (queued)
        {
            QueuedSubscription subscription = _connection.SubscribeQueued(subject);
            _reading = Task.Run(() => ReadAsync(subscription));
        }
        else
        {
            _connection.Subscribe(subject, (in message) => _tally.Take(message.Body));
        }
    }

    public void Expect(long total) => _tally.Expect(total);

    public void Wait() => _tally.Wait();

    public void Dispose()
    {
        _connection?.DisposeAsync().AsTask().GetAwaiter().GetResult();
        _reading.GetAwaiter().GetResult();
        _loops.Dispose();
        _tally.Dispose();
    }

    private async Task ReadAsync(QueuedSubscription subscription)
    {
        // The largest number of messages in flight waits once, and the same number again after all of them were read.
        // So the queue has allocated its memory on the loop's side and on the reader's side before the measurement.
        await WaitForWindowAsync(subscription).ConfigureAwait(false);
        var first = new List<Message>();
        while (first.Count < MessageSource.Window && subscription.Reader.TryRead(out Message message))
        {
            first.Add(message);
        }

        first.ForEach(message => _tally.Take(message.Body.Span));
        await WaitForWindowAsync(subscription).ConfigureAwait(false);

        await foreach (Message message in subscription.ReadAllAsync().ConfigureAwait(false))
        {
            _tally.Take(message.Body.Span);
        }
    }

    private static async Task WaitForWindowAsync(QueuedSubscription subscription)
    {
        while (subscription.Reader.Count < MessageSource.Window)
        {
            await Task.Delay(1).ConfigureAwait(false);
        }
    }
}
