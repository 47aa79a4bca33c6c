using Broker.Leaf.Tests.Support;
using Broker.Server;

namespace Broker.Leaf.Tests;

/// <summary>Remotes that are added, changed and removed while others stay connected.</summary>
public sealed class ChangeTests
{
    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    [Fact]
    public async Task A_change_of_one_remote_does_not_disturb_the_other_one()
    {
        await using var kept = new FakeHub();
        await using var changed = new FakeHub();
        await using BrokerServer edge = await BrokerServer.StartAsync(Options(), Ended);
        await using var leaf = LeafNodes.Start(edge, Remotes(Of(kept), Of(changed, "B")));
        await kept.ShakeHandsAsync();
        await changed.ShakeHandsAsync();
        await Wait.UntilAsync(() => leaf.Remotes.All(static r => r.IsConnected), () => string.Join('\n', leaf.Remotes));

        Task change = leaf.ChangeAsync(Remotes(Of(kept), Of(changed, "B") with { DenyImports = ["x"] }));
        Assert.Equal("(end)", await changed.ReadAsync());
        changed.Drop();
        await change;
        Assert.Contains("\"deny_pub\":[\"x\"]", await changed.ShakeHandsAsync(), StringComparison.Ordinal);

        await kept.ReadUntilPongAsync();
        Assert.Equal(1, leaf.Remotes[0].Connects);
        Assert.True(leaf.Remotes[0].IsConnected);

        change = leaf.ChangeAsync(Remotes(Of(kept)));
        Assert.Equal("(end)", await changed.ReadAsync());
        changed.Drop();
        await change;
        Assert.Equal("$G", Assert.Single(leaf.Remotes).Account);
        await kept.ReadUntilPongAsync();
        Assert.Equal(1, leaf.Remotes[0].Connects);
    }

    [Fact]
    public async Task A_wrong_change_leaves_everything_as_it_is()
    {
        await using var hub = new FakeHub();
        await using BrokerServer edge = await BrokerServer.StartAsync(Options(), Ended);
        await using var leaf = LeafNodes.Start(edge, Remotes(Of(hub)));
        await hub.ShakeHandsAsync();

        await Assert.ThrowsAsync<ArgumentException>(() => leaf.ChangeAsync(Remotes(Of(hub, "B"), Of(hub, "unknown"))));
        await Assert.ThrowsAsync<ArgumentException>(() => leaf.ChangeAsync(Remotes(Of(hub), Of(hub))));

        await hub.ReadUntilPongAsync();
        Assert.Equal(1, Assert.Single(leaf.Remotes).Connects);
    }

    private static BrokerServerOptions Options() => new() { Accounts = [new AccountOptions("B")] };

    private static LeafRemoteOptions Of(FakeHub hub, string? account = null) => new() { Urls = [hub.Url], Account = account };

    private static LeafNodeOptions Remotes(params LeafRemoteOptions[] remotes) => new() { Remotes = remotes, ReconnectDelay = TimeSpan.FromMilliseconds(10) };
}
