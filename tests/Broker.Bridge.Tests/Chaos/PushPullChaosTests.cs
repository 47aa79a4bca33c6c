using System.Net;
using Broker.Bridge.Tests.Chaos.Support;
using Broker.Bridge.Tests.Pipelines.Support;

namespace Broker.Bridge.Tests.Chaos;

/// <summary>
/// Programs and servers are killed and restarted, and links stall and are cut. Every accepted message arrives once,
/// unless a killed program had received it.
/// </summary>
public sealed class PushPullChaosTests
{
    private const int MostSentAhead = 2000;

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Between_a_living_ingress_and_a_living_egress_nothing_accepted_is_lost(bool foreign)
    {
        int seed = Seed.Next();
        var random = new Random(seed);
        await using Pipeline pipeline = await Pipeline.StartAsync(foreign, apart: true);
        await using var links = new ChaosLinks(random);
        ZeroMqBridge ingress = await pipeline.BridgeAsync(options => options with { Pullers = [] }, Server());
        ZeroMqBridge mortals = await pipeline.BridgeAsync(options => options with { Pullers = [] }, Server());
        ZeroMqBridge first = await pipeline.BridgeAsync(options => options with { Pushers = [] }, Server());
        ZeroMqBridge second = await pipeline.BridgeAsync(options => options with { Pushers = [] }, Server());
        await using var pusher = new PyPusher(links.OpenUncut(ingress.PusherEndpoint()), "p", size: 200);
        await using var steady = new PyPuller(links.OpenUncut(first.PullerEndpoint()));
        long pushed = 0;
        int lives = 0;
        var mortal = new PyPuller(second.PullerEndpoint());
        var mortalPusher = new PyPusher(mortals.PusherEndpoint(), $"m{lives}");
        try
        {
            await mortalPusher.SendAsync(MostSentAhead);
            for (var time = new ChaosTime(); time.GoesOn;)
            {
                if (ingress.Route().Accepted + MostSentAhead > pushed)
                {
                    pushed += MostSentAhead;
                    await pusher.SendAsync(MostSentAhead);
                }

                switch (random.Next(10))
                {
                    case 0:
                        await pipeline.RestartServerAsync();
                        break;
                    case 1:
                        await mortal.TakeAsync(takes: false);
                        break;
                    case 2:
                        await mortal.TakeAsync();
                        break;
                    case 3:
                        // Messages that it had received but not taken are lost with it, so the messages that it took do
                        // not count either.
                        await mortal.DisposeAsync();
                        mortal = new PyPuller(second.PullerEndpoint());
                        break;
                    case 4:
                        await steady.TakeAsync(takes: false);
                        await ChaosTime.PassAsync(random);
                        await steady.TakeAsync();
                        break;
                    case 5:
                        // Messages that the bridge had not read from it are lost with it. They were not accepted.
                        await mortalPusher.DisposeAsync();
                        mortalPusher = new PyPusher(mortals.PusherEndpoint(), $"m{++lives}");
                        await mortalPusher.SendAsync(MostSentAhead);
                        break;
                    case 6 or 7:
                        await links.StallAsync();
                        break;
                    case 8:
                        links.Cut();
                        break;
                    default:
                        await ChaosTime.PassAsync(random);
                        break;
                }
            }

            await mortal.TakeAsync();
            await mortalPusher.DisposeAsync();
            await Wait.UntilAsync(() => mortals.Route() is { Pushers: 0, InFlight: 0 }, Describe);
            await Wait.UntilAsync(
                async () => await pusher.SentAsync() == pushed && ingress.Route().Accepted == pushed && ingress.Route().InFlight == 0, Describe);

            // If no killed program was connected to an egress, it delivered exactly the messages that its PULL
            // received.
            await Wait.UntilAsync(async () => await steady.CountAsync() == first.Route().Delivered, Describe);
            Assert.Equal(await steady.CountAsync(), await steady.DistinctAsync());
            Assert.True(pushed + mortals.Route().Accepted == first.Route().Delivered + second.Route().Delivered, Describe());
            Assert.True(first.Route().PossibleDuplicates + second.Route().PossibleDuplicates == 0, Describe());
        }
        finally
        {
            await mortal.DisposeAsync();
            await mortalPusher.DisposeAsync();
        }

        string Server() => $"nats://{links.Open(IPEndPoint.Parse(new Uri(pipeline.Url).Authority)).Address}";
        string Describe()
            => $"seed {seed}: {pushed} pushed, {ingress.Route()}, {mortals.Route()} of {lives + 1} lives, {first.Route()}, {second.Route()}";
    }
}
