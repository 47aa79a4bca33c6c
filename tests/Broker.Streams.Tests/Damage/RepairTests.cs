using System.Globalization;
using Broker.Streams.Tests.Simulation;
using Broker.Streams.Tests.Store;

namespace Broker.Streams.Tests.Damage;

/// <summary>
/// Damages a small store at every place and repairs it. Then exactly those messages are there whose bytes were not
/// damaged, and no sequence is used again.
/// </summary>
public sealed class RepairTests(ITestOutputHelper output)
{
    private const int Page = 4096;

    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    // BROKER_STORE_DAMAGE=1 damages every byte; otherwise each of so many.
    private static int Step => int.Parse(Environment.GetEnvironmentVariable("BROKER_STORE_DAMAGE") ?? "23", CultureInfo.InvariantCulture);

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void After_a_flipped_byte_and_a_repair_exactly_the_whole_messages_are_there(bool isClosed)
    {
        var store = DamagedStore.Make(isClosed);
        int start = Random.Shared.Next(Step);
        foreach ((string name, byte[] content) in store.Contents)
        {
            for (int at = start % Math.Max(1, Math.Min(Step, content.Length)); at < content.Length && !Ended.IsCancellationRequested; at += Step)
            {
                Check(store, name, at, at + 1, $"{name} at {at}", disk => disk.Files[name].Current[at] ^= 0xff);
            }
        }

        Print(store);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void After_a_cut_file_and_a_repair_exactly_the_whole_messages_are_there(bool isClosed)
    {
        var store = DamagedStore.Make(isClosed);
        int start = Random.Shared.Next(Step);
        foreach ((string name, byte[] content) in store.Contents)
        {
            for (int length = start % Math.Max(1, Math.Min(Step, content.Length)); length < content.Length && !Ended.IsCancellationRequested; length += Step)
            {
                Check(store, name, length, int.MaxValue, $"{name} cut to {length}", disk => disk.Files[name].Current = disk.Files[name].Current[..length]);
            }
        }

        Print(store);
    }

    [Fact]
    public void After_a_page_of_zeros_and_a_repair_exactly_the_whole_messages_are_there()
    {
        var store = DamagedStore.Make(isClosed: true, segmentBytes: 4 * Page, messages: 200);
        foreach ((string name, byte[] content) in store.Contents)
        {
            for (int at = 0; at < content.Length; at += Page)
            {
                int end = Math.Min(at + Page, content.Length);
                Check(store, name, at, end, $"{name} zeroed at {at}", disk => disk.Files[name].Current.AsSpan(at..end).Clear());
            }
        }

        Print(store);
    }

    [Fact]
    public void After_the_loss_of_a_file_and_a_repair_exactly_the_messages_of_the_other_files_are_there()
    {
        var store = DamagedStore.Make(isClosed: true);
        foreach (string name in store.Contents.Keys.Where(static name => name.EndsWith(StoreFileNames.SegmentEnd, StringComparison.Ordinal)).Order(StringComparer.Ordinal).Skip(1))
        {
            Check(store, name, 0, int.MaxValue, $"{name} lost", disk => disk.Delete(name));
        }

        Print(store);
    }

    [Fact]
    public void A_repair_that_is_interrupted_at_any_moment_can_be_repeated()
    {
        var store = DamagedStore.Make(isClosed: true);
        var random = new Random(Seed.Next());
        string[] segments = [.. store.Contents.Keys.Where(static name => name.EndsWith(StoreFileNames.SegmentEnd, StringComparison.Ordinal)).Order(StringComparer.Ordinal)];
        int crashes = 0;
        foreach (string name in segments)
        {
            int at = random.Next(SegmentHeader.Length, Math.Min(1500, store.Contents[name].Length));
            for (int crash = 1; ; crash++)
            {
                SimulatedDisk disk = store.Copy();
                disk.Files[name].Current[at] ^= 0xff;
                disk.Files[name].Sync();
                disk.CrashAt = crash;
                disk.CrashesAfter = random.Next(2) == 0;
                if (!EndsInCrash(disk))
                {
                    break;
                }

                crashes++;
                disk.LosePower(random);
                StoreRepair.Run(disk, "account", StoreExtensions.Small(), stop: Ended);
                store.CheckRepaired(disk, name, at, at + 1, report: null);
            }
        }

        output.WriteLine($"{crashes} crashes");
        Assert.True(crashes > segments.Length);
    }

    [Fact]
    public void A_verification_changes_nothing()
    {
        var store = DamagedStore.Make(isClosed: true);
        SimulatedDisk disk = store.Copy();
        string first = store.Contents.Keys.Order(StringComparer.Ordinal).First(static name => name.EndsWith(StoreFileNames.SegmentEnd, StringComparison.Ordinal));
        disk.Files[first].Current[SegmentHeader.Length + 200] ^= 1;
        SimulatedDisk before = disk.Copy();
        long steps = disk.Steps;

        StoreReport report = StoreCheck.Run(disk, "account", stop: Ended);

        Assert.True(report.IsDamaged);
        Assert.Equal(steps, disk.Steps);
        Assert.All(before.Files, file => Assert.Equal(file.Value.Current, disk.Files[file.Key].Current));
    }

    private void Check(DamagedStore store, string name, int from, int to, string what, Action<SimulatedDisk> damage)
    {
        SimulatedDisk disk = store.Copy();
        damage(disk);
        try
        {
            StoreReport found = StoreCheck.Run(disk, "account", stop: Ended);
            StoreReport report = StoreRepair.Run(disk, "account", StoreExtensions.Small(), stop: Ended);
            Assert.Equal(found.Findings.Select(static finding => finding.Text), report.Findings.Select(static finding => finding.Text));
            Assert.Empty(StoreCheck.Run(disk, "account", stop: Ended).Findings);
            store.CheckRepaired(disk, name, from, to, report);
        }
        catch (Exception e)
        {
            throw new InvalidOperationException($"Failed with {what}.", e);
        }
    }

    private static bool EndsInCrash(SimulatedDisk disk)
    {
        try
        {
            StoreRepair.Run(disk, "account", StoreExtensions.Small(), stop: Ended);
            return false;
        }
        catch (SimulatedCrash)
        {
            return true;
        }
    }

    private void Print(DamagedStore store)
    {
        foreach ((string outcome, int count) in store.Outcomes)
        {
            output.WriteLine($"{count,7} {outcome}");
        }

        Assert.True(Ended.IsCancellationRequested || store.Outcomes.GetValueOrDefault("messages lost and named") > 0);
    }
}
