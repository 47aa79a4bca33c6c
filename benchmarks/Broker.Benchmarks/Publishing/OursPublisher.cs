using System.Globalization;
using System.Runtime.CompilerServices;
using Broker.Benchmarks.Running;
using Broker.Client;
using Broker.Client.Publishing;

namespace Broker.Benchmarks.Publishing;

/// <summary>Ours as shipped: a thread publishes, waits for room where it is refused, and for an answer behind it.</summary>
internal sealed class OursPublisher : IDisposable
{
    private readonly BrokerConnection _connection;
    private readonly ManualResetEventSlim _answered = new();

    // Without a turn on the processor that the loop needs to make room.
    private readonly ManualResetEventSlim _room = new(initialState: false, spinCount: 0);

    /// <param name="port">Where the sink is.</param>
    /// <param name="maxPendingBytes">How far ahead of it the thread may be.</param>
    internal OursPublisher(int port, long maxPendingBytes)
        => _connection = BrokerConnection.ConnectAsync(new()
        {
            Servers = [string.Create(CultureInfo.InvariantCulture, $"127.0.0.1:{port}")],
            MaxPendingBytes = maxPendingBytes,
            ConnectTimeout = TimeSpan.FromMinutes(1),
            OnWritable = _ => _room.Set(),
        }).GetAwaiter().GetResult();

    internal void Publish(ReadOnlySpan<byte> body, int messages)
    {
        for (int i = 0; i < messages; i++)
        {
            PublishStatus status = _connection.TryPublish("foo"u8, body);
            Agreement.Require(status == PublishStatus.Accepted || (status == PublishStatus.PendingLimit && PublishLater(body)));
        }

        _answered.Reset();
        _connection.Barrier(static (answered, _) => ((ManualResetEventSlim)answered!).Set(), _answered);
        _answered.Wait();
    }

    // What is refused after the reset is told of afterwards.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool PublishLater(ReadOnlySpan<byte> body)
    {
        while (true)
        {
            _room.Reset();
            PublishStatus status = _connection.TryPublish("foo"u8, body);
            if (status != PublishStatus.PendingLimit)
            {
                return status == PublishStatus.Accepted;
            }

            _room.Wait();
        }
    }

    public void Dispose()
    {
        _connection.DisposeAsync().AsTask().GetAwaiter().GetResult();
        _answered.Dispose();
        _room.Dispose();
    }
}
