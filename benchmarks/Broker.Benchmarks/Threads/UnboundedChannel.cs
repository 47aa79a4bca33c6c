using System.Threading.Channels;

namespace Broker.Benchmarks.Threads;

/// <summary>An unbounded channel, configured for one writer and one reader.</summary>
internal readonly struct UnboundedChannel() : IThreadQueue
{
    private readonly Channel<object> _channel =
        Channel.CreateUnbounded<object>(new UnboundedChannelOptions { SingleReader = true, SingleWriter = true });

    public void Post(object item) => _channel.Writer.TryWrite(item);

    public int Drain()
    {
        int count = 0;
        while (_channel.Reader.TryRead(out object? item))
        {
            count += item is null ? 0 : 1;
        }

        return count;
    }
}
