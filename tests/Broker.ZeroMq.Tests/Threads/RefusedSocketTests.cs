using Broker.Transport;

namespace Broker.ZeroMq.Tests.Threads;

/// <summary>
/// A constructor that refuses its options keeps nothing, because the caller gets no socket to dispose. These tests run
/// alone: they watch the loops of the process.
/// </summary>
[Collection(Alone.Name)]
public sealed class RefusedSocketTests
{
    private static readonly ZeroMqSocketOptions Hello = new() { HelloMessage = "hello"u8.ToArray() };
    private static readonly ZeroMqSocketOptions Farewell = new() { DisconnectMessage = "bye"u8.ToArray() };
    private static readonly ZeroMqSocketOptions Conflating = new() { Conflate = true };

    public static TheoryData<string> Refused => new(Constructors.Keys);

    private static Dictionary<string, Func<IDisposable>> Constructors => new()
    {
        ["PUB"] = static () => new PublisherSocket(Hello),
        ["SUB"] = static () => new SubscriberSocket(Hello),
        ["XPUB"] = static () => new XPublisherSocket(new XPublisherSocketOptions { Conflate = true }),
        ["XSUB"] = static () => new XSubscriberSocket(Conflating),
        ["PUSH"] = static () => new PushSocket(Farewell),
        ["PULL"] = static () => new PullSocket(Hello),
        ["DEALER"] = static () => new DealerSocket(new ZeroMqSocketOptions { ReceiveHighWaterMark = -1 }),
        ["ROUTER"] = static () => new RouterSocket(
            new RouterSocketOptions { NotifyDisconnect = true, DisconnectMessage = "bye"u8.ToArray() }),
        ["REQ"] = static () => new RequestSocket(new RequestSocketOptions { Conflate = true }),
        ["REP"] = static () => new ResponseSocket(Conflating),
        ["PAIR"] = static () => new PairSocket(Conflating),
    };

    [Theory]
    [MemberData(nameof(Refused))]
    public void A_refused_socket_does_not_keep_the_loops_of_the_process(string type)
    {
        EventLoopGroup before = Group();

        Assert.ThrowsAny<ArgumentException>(Constructors[type]);

        // Without a user, the loops end, and the next user starts others.
        Assert.NotSame(before, Group());
    }

    private static EventLoopGroup Group()
    {
        using var shared = SharedEventLoops.Acquire();
        return shared.Group;
    }
}
