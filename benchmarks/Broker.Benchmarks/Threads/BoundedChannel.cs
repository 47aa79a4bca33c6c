using System.Threading.Channels;

namespace Broker.Benchmarks.Threads;

/// <summary>A bounded channel that has room for all items in flight.</summary>
internal readonly struct BoundedChannel() : IThreadQueue
{
    private readonly Channel<object> _channel =
        Channel.CreateBounded<object>(new BoundedChannelOptions(1024) { SingleReader = true, SingleWriter = true });

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
