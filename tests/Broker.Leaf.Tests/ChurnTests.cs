using System.Globalization;
using System.Text.Json;
using Broker.Client;
using Broker.Leaf.Tests.Support;

namespace Broker.Leaf.Tests;

/// <summary>
/// Hubs that are killed while subscriptions change on both sides. BROKER_HUB_KILLS is the number of kills; the default is
/// 10.
/// </summary>
public sealed class ChurnTests
{
    private const int Subjects = 10_000;
    private const int Groups = 100;

    private static readonly int Kills = int.TryParse(Environment.GetEnvironmentVariable("BROKER_HUB_KILLS"), CultureInfo.InvariantCulture, out int kills) ? kills : 10;

    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    [Fact]
    public async Task Row10_after_kills_under_churn_both_sides_know_the_same_interest()
    {
        await using LeafSite site = await LeafSite.StartAsync();
        BrokerConnection edge = await site.AtEdgeAsync();
        int[] received = new int[Subjects];
        for (int i = 0; i < Subjects; i++)
        {
            int at = i;
            edge.Subscribe($"s.{at}", (in _) => Interlocked.Increment(ref received[at]));
        }

        for (int i = 0; i < Groups; i++)
        {
            edge.Subscribe($"g.{i}", static (in _) => { }, $"q{i}");
        }

        var kept = new HashSet<string>(StringComparer.Ordinal);
        for (int round = 0; round < Kills; round++)
        {
            await site.WaitForLinkAsync();
            BrokerConnection hub = await site.AtHubAsync();
            Task atHub = ChurnAsync(hub, "h", round, []);
            await ChurnAsync(edge, "c", round, kept);
            await atHub;
            site.Hub.Kill();
            await hub.DisposeAsync();
            await ChurnAsync(edge, "c", round + Kills, kept);
            site.Hub.Restart();
        }

        await site.WaitForLinkAsync();
        BrokerConnection last = await site.AtHubAsync();
        int atLast = 0;
        var ofHub = new HashSet<string>(StringComparer.Ordinal);
        await ChurnAsync(last, "h", 3 * Kills, ofHub);
        foreach (string subject in ofHub)
        {
            last.Subscribe($"x{subject}", (in _) => Interlocked.Increment(ref atLast));
        }

        await site.SettleAsync(last, edge);
        Assert.Equal(Expected(kept), Listed(await site.PageAsync("/leafz?subs=1")));
        for (int i = 0; i < Subjects; i++)
        {
            last.Publish($"s.{i}", default);
        }

        foreach (string subject in ofHub)
        {
            edge.Publish($"x{subject}", default);
        }

        await site.SettleAsync(last, edge);
        Assert.All(received, static count => Assert.Equal(1, count));
        Assert.Equal(ofHub.Count, Volatile.Read(ref atLast));
        Assert.Equal(Kills + 1, site.Status.Connects);
    }

    // Adds and removes 200 subscriptions. Half of them stay.
    private static async Task ChurnAsync(BrokerConnection connection, string prefix, int round, HashSet<string> kept)
    {
        for (int i = 0; i < 100; i++)
        {
            string subject = $"{prefix}.{round}.{i}";
            connection.Subscribe(subject, static (in _) => { });
            kept.Add(subject);
            Subscription brief = connection.Subscribe($"{prefix}.brief.{i % 7}", static (in _) => { });
            await connection.FlushAsync(Ended);
            brief.Unsubscribe();
        }

        await connection.FlushAsync(Ended);
    }

    private static List<string> Expected(HashSet<string> kept)
    {
        List<string> all = [.. kept, .. Enumerable.Range(0, Subjects).Select(static i => $"s.{i}"), .. Enumerable.Range(0, Groups).Select(static i => $"g.{i}")];
        all.Sort(StringComparer.Ordinal);
        return all;
    }

    private static List<string> Listed(JsonElement leafz)
    {
        JsonElement leaf = Assert.Single(leafz.GetProperty("leafs").EnumerateArray());
        List<string> all = [.. leaf.GetProperty("subscriptions_list").EnumerateArray().Select(static s => s.GetString()!).Where(static s => s[..2] is "s." or "g." or "c.")];
        all.Sort(StringComparer.Ordinal);
        return all;
    }
}
