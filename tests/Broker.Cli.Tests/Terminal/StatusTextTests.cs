using Broker.Cli.Terminal;

namespace Broker.Cli.Tests.Terminal;

public sealed class StatusTextTests
{
    private static readonly ServeCounts Counts = new()
    {
        Connections = 3,
        Subscriptions = 5,
        MessagesIn = 1234567,
        BytesIn = 1536,
        MessagesOut = 9,
        BytesOut = 12,
        ZeroMqPeers = 2,
        ZeroMqMessagesIn = 4,
        ZeroMqMessagesOut = 6,
        Dropped = 1,
    };

    [Fact]
    public void All_counts_are_shown() => Assert.Equal(
        "3 clients, 5 subs | in 1,234,567 (1.5 KB) out 9 (12 B) | zmq 2 peers in 4 out 6 | dropped 1",
        StatusText.Of(Counts, withZeroMq: true));

    [Fact]
    public void One_client_is_not_several() => Assert.Equal(
        "1 client, 1 sub | in 1,234,567 (1.5 KB) out 9 (12 B) | zmq 1 peer in 4 out 6 | dropped 1",
        StatusText.Of(Counts with { Connections = 1, Subscriptions = 1, ZeroMqPeers = 1 }, withZeroMq: true));

    [Fact]
    public void Without_a_bridge_nothing_is_said_of_it() => Assert.Equal(
        "3 clients, 5 subs | in 1,234,567 (1.5 KB) out 9 (12 B) | dropped 1",
        StatusText.Of(Counts, withZeroMq: false));
}
