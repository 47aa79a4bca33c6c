using System.Diagnostics;
using System.Globalization;
using Broker.Interop.Tests.Harness;

namespace Broker.Interop.Tests.Soak;

/// <summary>
/// Runs all kinds of traffic at once through a broker with its bridge, for six seconds or for
/// <c>BROKER_SOAK_SECONDS</c>. All clients disconnect from time to time. The broker must then be back at the resources
/// that it used before.
/// </summary>
public sealed class SoakTests(SessionCertificates certificates) : IClassFixture<SessionCertificates>
{
    private const int Usual = 6;

    // The time after which all clients disconnect. They also do so in the middle of the run and at its end.
    private const int SecondsEach = 30;

    // The memory of the last burst, which returns to the system within about a minute, and the code that the runtime
    // compiles again when it is hot. Neither grows with the hours of the run. A leak does.
    private const long Slack = 64L << 20;

    private static CancellationToken Ct => TestContext.Current.CancellationToken;

    [Fact]
    public async Task After_everybody_has_left_a_broker_holds_what_it_held_before_and_no_message_was_lost_or_came_twice()
    {
        int seed = Seed.Next();
        int seconds = int.TryParse(Environment.GetEnvironmentVariable("BROKER_SOAK_SECONDS"), NumberStyles.None, CultureInfo.InvariantCulture, out int said) ? said : Usual;
        int halves = Math.Max(1, seconds / (2 * SecondsEach));
        using var directory = new Folder();
        await File.WriteAllTextAsync(directory.File, SoakTraffic.Configuration(certificates.ServerKeys, 0), Ct);
        await using BrokerProcess broker = await BrokerProcess.StartAsync(-1, "-c", directory.File);
        using var pages = new HttpClient { BaseAddress = new Uri(broker.Ports.Monitoring[0]), Timeout = Wait.Limit };
        await using SoakPeers peers = await SoakPeers.StartAsync(broker);
        var traffic = new SoakTraffic(broker, directory.File, certificates.ServerKeys, pages);

        SoakFacts empty = await SoakFacts.ReadAsync(broker, pages);
        long openedBefore = await TotalAsync(pages, "broker_connections_total");
        await PlayAsync(traffic, peers, seed, -1, TimeSpan.Zero);
        await Wait.UntilAsync(async () => (await SoakFacts.ReadAsync(broker, pages)).HasNobodyBut(empty), "the clients of the warm-up have disconnected");
        SoakFacts warm = await SoakFacts.ReadAsync(broker, pages);
        long ownBefore = await SubscribedAsync(pages);
        Say($"before: {empty}");
        Say($"warm: {warm}");

        var resident = new List<(double Seconds, long Bytes)>();
        long begin = Stopwatch.GetTimestamp();
        long rounds = 0;
        SoakFacts middle = warm;
        for (int phase = 0; phase < 2 * halves; phase++)
        {
            rounds += await PlayAsync(traffic, peers, seed, phase, TimeSpan.FromSeconds((double)seconds / (2 * halves)));
            SoakFacts now = await BackAsync(broker, pages, warm);
            resident.Add((Stopwatch.GetElapsedTime(begin).TotalSeconds, now.Resident));
            Say($"after {resident[^1].Seconds:f0} s and {rounds} rounds: {now}");
            if (phase == halves - 1)
            {
                middle = now;
            }
        }

        long last = 0;
        await Wait.UntilAsync(
            () => (last = broker.ResidentMemory()) <= middle.Resident + Slack,
            () => $"{last / 1e6:f1} MB resident at the end, {middle.Resident / 1e6:f1} in the middle");
        long opened = traffic.Opened + peers.Rounds;
        Say($"{Slope(resident[(halves - 1)..]) * 3_600 / 1e6:f1} MB an hour in the second half; {opened} connections, {traffic.Cut} cut");
        Assert.Equal(openedBefore + opened, await TotalAsync(pages, "broker_connections_total"));
        Assert.Equal(traffic.Cut, await TotalAsync(pages, "broker_slow_consumers_total"));
        Assert.Equal(ownBefore, await SubscribedAsync(pages));
        Assert.Equal(0, await broker.StopAsync());

        void Say(FormattableString what) => TestContext.Current.TestOutputHelper?.WriteLine(what.ToString(CultureInfo.InvariantCulture));
    }

    // The lanes run at the same time. Rounds that disturb each other share a lane. Each lane runs every kind of round
    // at least once.
    private static async Task<long> PlayAsync(SoakTraffic traffic, SoakPeers peers, int seed, int phase, TimeSpan time)
    {
        Func<Random, string, Task>[][] lanes =
        [
            [
                (random, _) => traffic.StoppedReaderAsync(random), (random, _) => traffic.StoppedPeerAsync(random),
                (random, _) => traffic.ReloadAsync(random), traffic.LargeMessagesAsync,
            ],
            [traffic.SubscriptionsAsync, traffic.SubscriptionsAsync, traffic.QueueGroupAsync],
            [traffic.RequestsAsync, traffic.RequestsAsync, (random, _) => traffic.CrowdAsync(random)],
            [peers.RoundAsync],
        ];
        long begin = Stopwatch.GetTimestamp();
        long[] played = await Task.WhenAll(lanes.Select((kinds, lane) => Task.Run(() => LaneAsync(kinds, lane), Ct)));
        return played.Sum();

        async Task<long> LaneAsync(Func<Random, string, Task>[] kinds, int lane)
        {
            var random = new Random(HashCode(seed, phase, lane));
            long round = 0;
            for (; round < kinds.Length || Stopwatch.GetElapsedTime(begin) < time; round++)
            {
                Func<Random, string, Task> kind = round < kinds.Length ? kinds[round] : kinds[random.Next(kinds.Length)];
                await kind(random, string.Create(CultureInfo.InvariantCulture, $"soak{lane}.{phase + 1}.{round}"));
            }

            return round;
        }
    }

    // Unlike HashCode.Combine, this returns the same value in each run.
    private static int HashCode(int seed, int phase, int lane) => unchecked((seed * 31) + (phase * 7) + lane);

    private static async Task<SoakFacts> BackAsync(BrokerProcess broker, HttpClient pages, SoakFacts before)
    {
        SoakFacts now = before;
        await Wait.UntilAsync(async () => (now = await SoakFacts.ReadAsync(broker, pages)).IsBackAt(before), () => $"before: {before}\nand still: {now}");
        return now;
    }

    // Includes the server's own subscriptions.
    private static async Task<long> SubscribedAsync(HttpClient pages)
        => await TotalAsync(pages, "broker_subscription_inserts_total") - await TotalAsync(pages, "broker_subscription_removes_total");

    private static async Task<long> TotalAsync(HttpClient pages, string name)
    {
        string text = await pages.GetStringAsync("/metrics", Ct);
        string line = text.Split('\n').Single(l => l.StartsWith(name + " ", StringComparison.Ordinal));
        return long.Parse(line[(name.Length + 1)..], CultureInfo.InvariantCulture);
    }

    // The slope of the regression line in bytes per second, or 0 for fewer than two samples.
    private static double Slope(List<(double Seconds, long Bytes)> samples)
    {
        double time = samples.Average(static s => s.Seconds);
        double bytes = samples.Average(static s => (double)s.Bytes);
        double squares = samples.Sum(s => (s.Seconds - time) * (s.Seconds - time));
        return squares == 0 ? 0 : samples.Sum(s => (s.Seconds - time) * (s.Bytes - bytes)) / squares;
    }

    private sealed class Folder : IDisposable
    {
        private readonly DirectoryInfo _directory = Directory.CreateTempSubdirectory("soak-");

        internal string File => Path.Combine(_directory.FullName, "broker.conf");

        public void Dispose() => _directory.Delete(recursive: true);
    }
}
