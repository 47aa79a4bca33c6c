using Broker.Bridge.Tests.Contract.Support;
using Broker.Bridge.Tests.Requests.Support;
using Broker.Testing;
using Broker.ZeroMq.Tests.Foreign;

namespace Broker.Bridge.Tests.Contract;

/// <summary>
/// Point 1 of "What is tested" in docs/migration.md: programs that are disconnected after the first of three frames.
/// </summary>
public sealed class CutOffTests
{
    // The sizes of a frame with flags, length and "one", and of the empty frame that REQ sends before it.
    private const int FirstFrame = 5;
    private const int Envelope = 2;

    [Theory]
    [MemberData(nameof(Parties.All), MemberType = typeof(Parties))]
    public async Task C01_Of_a_PUSH_cut_off_behind_one_frame_of_three_nothing_is_accepted_and_nothing_is_stuck(ForeignKind kind, byte minor, bool foreign)
    {
        await using ContractSite site = await ContractSite.StartAsync(kind, minor, foreign, ContractSite.PushPull);
        FaultLink link = site.Link(site.Bridge.Pushers());
        ForeignSocket pull = await site.ProgramAsync("PULL", site.Bridge.Pullers());
        ForeignSocket push = await site.ProgramAsync("PUSH");
        await push.ConnectAsync($"tcp://{link.Address}");
        await Wait.UntilAsync(() => site.Bridge.PushPull() is { Pushers: 1, Pullers: 1, Partners: > 0 }, () => $"{site.Bridge.PushPull()}");
        await CutAsync(link, FirstFrame, push);

        ForeignSocket other = await site.ProgramAsync("PUSH", site.Bridge.Pushers());
        await other.SendTextAsync("all", "of", "it");
        Assert.Equal("all|of|it", await pull.ReceiveTextAsync());
        await Wait.UntilAsync(() => site.Bridge.PushPull().InFlight == 0, () => $"{site.Bridge.PushPull()}");
        Assert.Equal((1, 1, 0), (site.Bridge.PushPull().Accepted, site.Bridge.PushPull().Delivered, site.Bridge.PushPull().Refused));
    }

    [Theory]
    [MemberData(nameof(Parties.All), MemberType = typeof(Parties))]
    public async Task C01_Of_a_PUB_cut_off_behind_one_frame_of_three_nothing_is_published_and_nothing_is_stuck(ForeignKind kind, byte minor, bool foreign)
    {
        await using ContractSite site = await ContractSite.StartAsync(kind, minor, foreign, ContractSite.PubSub);
        FaultLink link = site.Link(site.Bridge.Publishers());
        ForeignSocket sub = await site.SubscriberAsync(site.Bridge.Subscribers());
        ForeignSocket pub = await site.ProgramAsync("XPUB");
        await pub.ConnectAsync($"tcp://{link.Address}");
        Assert.Equal("\u0001", await pub.ReceiveTextAsync());
        await CutAsync(link, FirstFrame, pub);

        ForeignSocket other = await site.PublisherAsync(site.Bridge.Publishers());
        await other.SendTextAsync("all", "of", "it");
        Assert.Equal("all|of|it", await sub.ReceiveTextAsync());
        Assert.Equal((1, 1, 0), (site.Bridge.PubSub().FromZeroMq, site.Bridge.PubSub().ToSubjects, site.Bridge.PubSub().Refused));
    }

    [Theory]
    [MemberData(nameof(Parties.All), MemberType = typeof(Parties))]
    public async Task C01_Of_a_REQ_cut_off_behind_one_frame_of_three_nothing_is_asked_and_nothing_is_stuck(ForeignKind kind, byte minor, bool foreign)
    {
        await using ContractSite site = await ContractSite.StartAsync(
            kind, minor, foreign, ContractSite.Requests with { HeartbeatInterval = Timeout.InfiniteTimeSpan }, ContractSite.Workers);
        FaultLink link = site.Link(site.Bridge.Endpoint("request"));
        ForeignSocket rep = await site.ProgramAsync("REP", site.Bridge.Endpoint("worker"));
        ForeignSocket req = await site.ProgramAsync("REQ");
        await req.ConnectAsync($"tcp://{link.Address}");
        await Wait.UntilAsync(() => site.Bridge.Requests().Peers == 1, "the client");
        await CutAsync(link, Envelope + FirstFrame, req);

        ForeignSocket other = await site.ProgramAsync("REQ", site.Bridge.Endpoint("request"));
        await other.SendTextAsync("all", "of", "it");
        Assert.Equal("all|of|it", await rep.ServeAsync("done"));
        Assert.Equal("done|all|of|it", await other.ReceiveTextAsync());
        Assert.Equal((1, 1, 0), (site.Bridge.Requests().FromZeroMq, site.Bridge.Requests().Answered, site.Bridge.Requests().Pending));
    }

    // The receiver reads the bytes sent so far and then the end of the stream.
    private static async Task CutAsync(FaultLink link, int bytes, ForeignSocket program)
    {
        Task cut = link.CutAfterAsync(bytes, LinkDirection.ToServer);
        await program.SendTextAsync("one", "two", "three");
        await Wait.For(cut);
    }
}
