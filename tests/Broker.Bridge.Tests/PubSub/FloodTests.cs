using Broker.Bridge.Tests.PubSub.Support;

namespace Broker.Bridge.Tests.PubSub;

/// <summary>Subscribers with too many subscriptions.</summary>
public sealed class FloodTests
{
    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public async Task Toggling_a_prefix_above_many_filters_does_not_delay_others_or_use_memory(int loops)
    {
        const int Filters = 20_000;
        const int Toggles = 300;
        await using Site site = await Site.StartAsync(loops);
        using RawPeer many = (await RawPeer.ConnectAsync(site.Route.SubscriberEndpoints[0], "SUB")).AnswerHeartbeats();
        await many.SendAsync([.. Enumerable.Range(0, Filters).SelectMany(i => RawPeer.Subscription($"f.{i}.", true))]);
        await Wait.UntilAsync(() => site.Server!.Snapshot().Subscriptions == Filters, () => $"{site.Server!.Snapshot()}");
        using RawPeer hostile = (await RawPeer.ConnectAsync(site.Route.SubscriberEndpoints[0], "SUB")).AnswerHeartbeats();
        await using Subscriber subscriber = await site.SubscriberAsync("g.");
        await using Publisher publisher = await site.PublisherAsync();
        long before = GC.GetTotalMemory(forceFullCollection: true);
        int changes = 0;
        int sent = 0;

        // Compared with toggles of a prefix without filters below it, because fewer messages pass on a slow machine.
        int usual = await FloodAsync("h.");
        int beside = await FloodAsync("f");
        subscriber.AssertExactly([.. Enumerable.Range(0, sent).Select(i => $"g.t|{i}")]);
        Assert.InRange(changes, 0, 1);

        // Nearly as many messages pass. It would be only a few dozen if each toggle of the prefix were applied at once.
        Assert.True(beside > Math.Min(Toggles, usual) / 3, $"only {beside} messages passed, and {usual} otherwise");

        // Whatever the last toggle was, the final state is the original one.
        await Wait.UntilAsync(() => site.Server!.Snapshot().Subscriptions == Filters + 1, () => $"{site.Server!.Snapshot()}");
        long grown = GC.GetTotalMemory(forceFullCollection: true) - before;
        Assert.InRange(grown, long.MinValue, 64 * 1024 * 1024);

        // Returns how many messages pass while the prefix is toggled.
        async Task<int> FloodAsync(string prefix)
        {
            byte[] on = RawPeer.Subscription(prefix, true);
            byte[] off = RawPeer.Subscription(prefix, false);
            int first = sent;
            var flood = Task.Run(
                async () =>
                {
                    for (int i = 0; i < Toggles; i++)
                    {
                        // Slow enough for each toggle to be applied: toggles in quick succession cost nothing.
                        await hostile.SendAsync(on);
                        await Task.Delay(2, TestContext.Current.CancellationToken);
                        await hostile.SendAsync(off);
                        await Task.Delay(2, TestContext.Current.CancellationToken);
                    }
                },
                TestContext.Current.CancellationToken);
            while (!flood.IsCompleted)
            {
                await publisher.SendAsync(Shapes.Frames("g.t", Shapes.Number(sent++)));
                await Wait.UntilAsync(() => subscriber.Count >= sent, () => $"{subscriber.Count} of {sent}");
                changes = Math.Max(changes, site.Route.PendingInterestChanges);
            }

            await flood;
            return sent - first;
        }
    }
}
