using System.Diagnostics;
using System.Globalization;
using System.Text.Json;
using Broker.Client;
using Broker.Leaf.Tests.Support;

namespace Broker.Leaf.Tests;

/// <summary>
/// Hubs that are killed while subscriptions change on both sides. BROKER_HUB_KILLS is the number of kills; the default
/// is 10.
/// </summary>
public sealed class ChurnTests
{
    private const int Subjects = 10_000;
    private const int Groups = 100;

    private static readonly int Kills = int.TryParse(Environment.GetEnvironmentVariable("BROKER_HUB_KILLS"), CultureInfo.InvariantCulture, out int kills) ? kills : 10;

    // Each side changes so many subscriptions at least between two kills.
    private const int ChangesPerKill = 500;

    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    [Fact]
    public async Task After_kills_under_churn_both_sides_know_the_same_interest()
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

        // The edge changes its subscriptions all the time, and each hub until it is killed.
        using var atEdge = new Churn(edge, "c", kept: new HashSet<string>(StringComparer.Ordinal));
        Task edgeRun = atEdge.RunAsync();
        var atHubs = new List<Churn>();
        for (int round = 0; round < Kills; round++)
        {
            await site.WaitForLinkAsync();
            BrokerConnection hub = await site.AtHubAsync();
            using var atHub = new Churn(hub, $"h.{round}", kept: null);
            atHubs.Add(atHub);
            Task hubRun = atHub.RunAsync();
            long before = atEdge.Changes;
            await Wait.UntilAsync(() => atHub.Changes >= ChangesPerKill && atEdge.Changes >= before + ChangesPerKill, () => $"{atHub.Changes} and {atEdge.Changes - before} changes");
            site.Hub.Kill();
            await atHub.StopAsync(hubRun);
            await hub.DisposeAsync();
            site.Hub.Restart();
        }

        await atEdge.StopAsync(edgeRun);
        TestContext.Current.TestOutputHelper?.WriteLine(string.Create(
            CultureInfo.InvariantCulture,
            $"{Kills} kills; edge: {atEdge.Changes} changes, {atEdge.Changes / atEdge.Seconds:F0}/s; hub: {atHubs.Sum(static h => h.Changes)} changes, {atHubs.Sum(static h => h.Changes) / atHubs.Sum(static h => h.Seconds):F0}/s"));
        Assert.True(atEdge.Changes >= (long)Kills * ChangesPerKill);
        await site.WaitForLinkAsync();
        BrokerConnection last = await site.AtHubAsync();
        int atLast = 0;
        string[] ofHub = [.. Enumerable.Range(0, 100).Select(static i => $"xh.{i}")];
        foreach (string subject in ofHub)
        {
            last.Subscribe(subject, (in _) => Interlocked.Increment(ref atLast));
        }

        await site.SettleAsync(last, edge);
        Assert.Equal(Expected(atEdge.Kept!), Listed(await site.PageAsync("/leafz?subs=1")));
        for (int i = 0; i < Subjects; i++)
        {
            last.Publish($"s.{i}", default);
        }

        foreach (string subject in ofHub)
        {
            edge.Publish(subject, default);
        }

        await site.SettleAsync(last, edge);
        Assert.All(received, static count => Assert.Equal(1, count));
        Assert.Equal(ofHub.Length, Volatile.Read(ref atLast));
        Assert.Equal(Kills + 1, site.Status.Connects);
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

    /// <summary>Adds and removes subscriptions of a connection until it is stopped or the connection is lost.</summary>
    /// <param name="connection">The connection.</param>
    /// <param name="prefix">The beginning of the subjects.</param>
    /// <param name="kept">Receives the subjects of subscriptions that stay; null if none stays.</param>
    private sealed class Churn(BrokerConnection connection, string prefix, HashSet<string>? kept) : IDisposable
    {
        private readonly CancellationTokenSource _stop = new();
        private readonly Stopwatch _time = new();
        private long _changes;

        internal long Changes => Interlocked.Read(ref _changes);

        internal double Seconds => _time.Elapsed.TotalSeconds;

        internal HashSet<string>? Kept => kept;

        internal async Task RunAsync()
        {
            // The connection to a killed hub does not answer. The edge must end with a known state.
            CancellationToken ended = kept is null ? _stop.Token : Ended;
            _time.Start();
            for (int round = 0; !_stop.IsCancellationRequested; round++)
            {
                for (int i = 0; i < 10; i++)
                {
                    Subscription brief = connection.Subscribe($"{prefix}.brief.{i}", static (in _) => { });
                    brief.Unsubscribe();
                }

                string subject = $"{prefix}.{round}";
                Subscription added = connection.Subscribe(subject, static (in _) => { });
                Interlocked.Add(ref _changes, 21);
                if (kept is not null && round % 10 == 0)
                {
                    kept.Add(subject);
                }
                else
                {
                    await connection.FlushAsync(ended);
                    added.Unsubscribe();
                    Interlocked.Increment(ref _changes);
                }

                await connection.FlushAsync(ended);
                // Without a pause, a long test would make tens of thousands of changes a second.
                await Task.Delay(5, ended);
            }
        }

        public void Dispose() => _stop.Dispose();

        internal async Task StopAsync(Task run)
        {
            await _stop.CancelAsync();
            await run.WaitAsync(Wait.Limit, Ended).ConfigureAwait(kept is null ? ConfigureAwaitOptions.SuppressThrowing : ConfigureAwaitOptions.None);
            _time.Stop();
            Assert.True(run.IsCompleted);
        }
    }
}
