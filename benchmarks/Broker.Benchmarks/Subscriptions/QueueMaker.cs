using System.Threading.Channels;
using Broker.Client;

namespace Broker.Benchmarks.Subscriptions;

internal static class QueueMaker
{
    internal static Channel<Message> Channel(int capacity)
        => System.Threading.Channels.Channel.CreateBounded<Message>(new BoundedChannelOptions(capacity) { SingleWriter = true, SingleReader = true });
}
