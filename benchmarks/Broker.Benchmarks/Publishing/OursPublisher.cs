using System.Globalization;
using System.Runtime.CompilerServices;
using Broker.Benchmarks.Running;
using Broker.Client;

namespace Broker.Benchmarks.Publishing;

/// <summary>
/// This project's client with default settings. One thread publishes, waits for room after a refused publish, and waits
/// for an answer at the end.
/// </summary>
internal sealed class OursPublisher : IDisposable
{
    private readonly BrokerConnection _connection;
    private readonly ManualResetEventSlim _answered = new();

    // The wait does not spin, because the loop needs the processor to make room.
    private readonly ManualResetEventSlim _room = new(initialState: false, spinCount: 0);

    /// <param name="port">The port of the sink.</param>
    /// <param name="maxPendingBytes">The most bytes that the thread may be ahead of the sink.</param>
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
            PublishStatus status = _connection.PublishWithStatus("foo"u8, body);
            Agreement.Require(status == PublishStatus.Accepted || (status == PublishStatus.PendingLimit && PublishLater(body)));
        }

        _answered.Reset();
        _connection.Barrier(static (answered, _) => ((ManualResetEventSlim)answered!).Set(), _answered);
        _answered.Wait();
    }

    // The signal is reset before the next attempt, so a refusal after the reset sets it again.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool PublishLater(ReadOnlySpan<byte> body)
    {
        while (true)
        {
            _room.Reset();
            PublishStatus status = _connection.PublishWithStatus("foo"u8, body);
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
