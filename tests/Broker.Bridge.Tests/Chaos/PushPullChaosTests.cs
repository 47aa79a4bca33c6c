using System.Net;
using Broker.Bridge.Tests.Chaos.Support;
using Broker.Bridge.Tests.Pipelines.Support;

namespace Broker.Bridge.Tests.Chaos;

/// <summary>
/// Programs and servers that are killed and come back, and links that stall and are cut: what was accepted and is not with somebody who was
/// killed arrives, once.
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
                        // What it had been given and had not taken is lost with it; so what it took does not count either.
                        await mortal.DisposeAsync();
                        mortal = new PyPuller(second.PullerEndpoint());
                        break;
                    case 4:
                        await steady.TakeAsync(takes: false);
                        await ChaosTime.PassAsync(random);
                        await steady.TakeAsync();
                        break;
                    case 5:
                        // What the bridge had not read of it is lost with it, and was not accepted.
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

            // Whom none was killed who took from it, handed over exactly what came out there.
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
        string Describe() =>
            $"seed {seed}: {pushed} pushed, {ingress.Route()}, {mortals.Route()} of {lives + 1} lives, {first.Route()}, {second.Route()}";
    }
}
