using Broker.Bridge.Tests.Requests.Support;
using Broker.ZeroMq;

namespace Broker.Bridge.Tests;

/// <summary>Messages with too many frames or bytes are counted and logged by each route.</summary>
public sealed class RefusedMessageTests
{
    private const int Limit = 1000;

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    public static TheoryData<string> Patterns => new(["pubsub", "request", "worker", "pushpull", "router", "dealer", "pair"]);

    [Theory]
    [MemberData(nameof(Patterns))]
    public Task A_message_with_too_many_frames_is_counted_and_logged(string pattern)
        => RefuseAsync(pattern, new ZeroMqMessage(["", "a", "b", "c"]), "frame count");

    [Theory]
    [MemberData(nameof(Patterns))]
    public Task A_message_with_too_many_bytes_is_counted_and_logged(string pattern)
        => RefuseAsync(pattern, new ZeroMqMessage("").Append(new byte[Limit + 1]), "size limit");

    // libzmq and NetMQ do not limit the frames of a message, so their programs may send so many.
    [Theory]
    [MemberData(nameof(Patterns))]
    public async Task Thousands_of_frames_pass_by_default(string pattern)
    {
        await using RequestSite site = await RequestSite.StartAsync(1, Route(pattern, limits: false));
        await using MessageSocket socket = Connect(pattern, site);
        await using PullSocket? taker = ConnectTaker(site);
        var message = new ZeroMqMessage("");
        for (int i = 0; i < 5000; i++)
        {
            message.Append("x");
        }

        await SendAsync(site, socket, message);
        // What a worker sends without the envelope of a request cannot be mapped, however few frames it has.
        int refused = pattern == "worker" ? 1 : 0;
        await Wait.UntilAsync(() => RouteOf(site) is { FromZeroMq: >= 1 } route && route.Refused >= refused, () => $"{RouteOf(site)}");

        Assert.Equal((taker is null ? 1 : 2, refused), (RouteOf(site).Peers, RouteOf(site).Refused));
    }

    // A pipeline takes no message before a PULL program wants it.
    private static PullSocket? ConnectTaker(RequestSite site)
    {
        if (RouteOf(site) is not PushPullRouteSnapshot route)
        {
            return null;
        }

        var taker = new PullSocket();
        taker.Connect(route.PullerEndpoints[0]);
        return taker;
    }

    private static async Task RefuseAsync(string pattern, ZeroMqMessage message, string reason)
    {
        await using RequestSite site = await RequestSite.StartAsync(1, Route(pattern, limits: true));
        await using MessageSocket socket = Connect(pattern, site);
        await SendAsync(site, socket, message);
        await Wait.UntilAsync(() => RouteOf(site).Refused >= 1, () => $"{RouteOf(site)}");
        Assert.InRange(RouteOf(site).FromZeroMq, 1, long.MaxValue);
        await Wait.UntilAsync(() => site.Log.Warnings.Any(line => line.Contains(reason, StringComparison.Ordinal)), "the reason in the log");
    }

    private static RouteSnapshot RouteOf(RequestSite site) => site.Bridge.Snapshot().Routes[0];

    private static async Task SendAsync(RequestSite site, MessageSocket socket, ZeroMqMessage message)
    {
        await Wait.UntilAsync(() => RouteOf(site) is { Peers: >= 1 }, "the connection");
        switch (socket)
        {
            case PublisherSocket pub:
                // A PUB drops its messages until the subscription of the route has arrived.
                await Wait.UntilAsync(() => RouteOf(site).FromZeroMq >= 1, () => $"{RouteOf(site)}", () => pub.Send(message));
                break;
            case PushSocket push:
                await push.SendAsync(message, Token);
                break;
            case DealerSocket dealer:
                await dealer.SendAsync(message, Token);
                break;
            case PairSocket pair:
                await pair.SendAsync(message, Token);
                break;
        }
    }

    private static MessageSocket Connect(string pattern, RequestSite site)
    {
        MessageSocket socket = pattern switch
        {
            "pubsub" => new PublisherSocket(),
            "pushpull" => new PushSocket(),
            "pair" => new PairSocket(),
            _ => new DealerSocket(),
        };
        socket.Connect(RouteOf(site) is PushPullRouteSnapshot pipeline ? pipeline.PusherEndpoints[0] : RouteOf(site).Endpoints[0]);
        return socket;
    }

    private static RouteOptions Route(string pattern, bool limits)
    {
        int size = limits ? Limit : 1 << 20;
        int frames = limits ? 3 : ushort.MaxValue;
        BridgeEndpoint[] any = [RequestSite.AnyPort];
        return pattern switch
        {
            "pubsub" => limits
                ? new PubSubRouteOptions { Publishers = any, Subscribers = [], MaxMessageSize = size, Mapping = new PubSubRouteOptions().Mapping with { MaxFrames = frames } }
                : new PubSubRouteOptions { Publishers = any, Subscribers = [] },
            "pushpull" => limits
                ? new PushPullRouteOptions { Subject = "p", Pushers = any, Pullers = [], MaxMessageSize = size, MaxFrames = frames }
                : new PushPullRouteOptions { Subject = "p", Pushers = any, Pullers = any },
            "request" => Limited(RequestSite.Asking),
            "worker" => Limited(RequestSite.Answering),
            _ => Limited(new RawRouteOptions { Endpoints = any, Socket = Enum.Parse<RawSocket>(pattern, ignoreCase: true), ToSubject = "to", FromSubject = "from" }),
        };

        RouteOptions Limited(SocketRouteOptions route) => limits ? route with { MaxMessageSize = size, MaxFrames = frames } : route;
    }
}
