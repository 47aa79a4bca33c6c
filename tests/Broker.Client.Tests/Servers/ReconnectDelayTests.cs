using Broker.Client.Tests.Support;

namespace Broker.Client.Tests.Servers;

/// <summary>The delay before the servers are tried again, and the choice of the server.</summary>
public sealed class ReconnectDelayTests
{
    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Fact]
    public async Task The_delay_grows_for_a_server_that_accepts_and_closes_at_once()
    {
        using var server = new FakeServer(static peer => peer.ShakeHands());
        TaskCompletionSource longer = Wait.Source();
        await using BrokerConnection client = await Patient.ConnectAsync(
            server.Options with
            {
                ReconnectDelay = passes =>
                {
                    if (passes >= 3)
                    {
                        longer.TrySetResult();
                    }

                    return TimeSpan.FromMilliseconds(1);
                },
            },
            Token);
        await Wait.For(longer);
    }

    [Fact]
    public void A_server_that_is_no_longer_listed_is_forgotten_unless_it_was_configured()
    {
        var pool = new ServerPool(["nats://a:1"]);
        ServerAddress named = pool.Next()!;
        Assert.True(pool.ReplaceDiscovered(named, ["b:2", "c:3", "B:2", "::none"]));
        Assert.Equal(["a:1", "b:2", "c:3"], All());
        Assert.False(pool.ReplaceDiscovered(named, ["c:3"]));
        Assert.Equal(["a:1", "c:3"], All());
        // The current server stays, even if it does not list itself.
        ServerAddress inUse = Enumerable.Range(0, 2).Select(_ => pool.Next()!).Single(static s => s.Host == "c");
        Assert.True(pool.ReplaceDiscovered(inUse, ["d:4"]));
        Assert.Equal(["a:1", "c:3", "d:4"], All());

        IEnumerable<string> All() => Enumerable.Range(0, pool.Count).Select(_ => pool.Next()!.ToString()).Order(StringComparer.Ordinal);
    }
}
