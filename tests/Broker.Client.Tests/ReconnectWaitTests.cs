using Broker.Client.Connecting;
using Broker.Client.Servers;
using Broker.Client.Tests.Support;

namespace Broker.Client.Tests;

/// <summary>How long is waited before the servers are tried again, and which are.</summary>
public sealed class ReconnectWaitTests
{
    private static readonly TimeSpan Jitter = TimeSpan.FromMilliseconds(100);

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData(0, 0)]
    [InlineData(1, 250)]
    [InlineData(2, 500)]
    [InlineData(3, 1000)]
    [InlineData(5, 4000)]
    [InlineData(6, 5000)]
    [InlineData(10_000, 5000)]
    public void The_wait_doubles_up_to_the_longest_and_has_a_jitter(int passesInVain, int milliseconds)
    {
        var wait = new ReconnectWait(new ClientOptions());
        var least = TimeSpan.FromMilliseconds(milliseconds);
        TimeSpan[] waits = [.. Enumerable.Range(0, 100).Select(_ => wait.After(passesInVain))];
        Assert.All(waits, w => Assert.InRange(w, least, least + Jitter));
        Assert.NotEqual(waits.Min(), waits.Max());
        Assert.Equal(least, new ReconnectWait(new ClientOptions { ReconnectJitter = TimeSpan.Zero }).After(passesInVain));
    }

    [Fact]
    public void What_a_callback_asks_for_is_kept_within_what_can_be_waited()
    {
        int asked = 0;
        TimeSpan answer = TimeSpan.FromMilliseconds(7);
        var wait = new ReconnectWait(new ClientOptions
        {
            ReconnectDelay = passes =>
            {
                asked = passes;
                return answer;
            },
        });
        Assert.Equal(answer, wait.After(3));
        Assert.Equal(3, asked);
        answer = TimeSpan.FromSeconds(-1);
        Assert.Equal(TimeSpan.Zero, wait.After(1));
        answer = TimeSpan.FromDays(2);
        Assert.Equal(TimeSpan.FromDays(1), wait.After(1));
    }

    [Fact]
    public async Task A_server_that_takes_clients_and_drops_them_at_once_is_waited_for_longer_each_time()
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
    public void A_server_that_was_learnt_and_is_told_of_no_more_is_forgotten_and_a_named_one_is_not()
    {
        var pool = new ServerPool(["nats://a:1"]);
        ServerAddress named = pool.Next()!;
        Assert.True(pool.Learn(named, ["b:2", "c:3", "B:2", "::none"]));
        Assert.Equal(["a:1", "b:2", "c:3"], All());
        Assert.False(pool.Learn(named, ["c:3"]));
        Assert.Equal(["a:1", "c:3"], All());
        // The one in use stays, whatever it says itself.
        ServerAddress inUse = Enumerable.Range(0, 2).Select(_ => pool.Next()!).Single(static s => s.Host == "c");
        Assert.True(pool.Learn(inUse, ["d:4"]));
        Assert.Equal(["a:1", "c:3", "d:4"], All());

        IEnumerable<string> All() => Enumerable.Range(0, pool.Count).Select(_ => pool.Next()!.ToString()).Order(StringComparer.Ordinal);
    }
}
