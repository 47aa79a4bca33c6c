using System.Diagnostics;
using System.Globalization;
using Broker.Bridge.Pipelines;
using Broker.Bridge.Tests.Pipelines.Support;

namespace Broker.Bridge.Tests.Pipelines;

/// <summary>
/// Programs, bridges and servers that are killed and come back, for some seconds, or for BROKER_CHAOS_SECONDS: what was accepted and is not
/// with somebody who was killed arrives.
/// </summary>
public sealed class ChaosTests
{
    private const int Usual = 10;
    private const int MostSentAhead = 2000;

    private static TimeSpan Duration => TimeSpan.FromSeconds(
        int.TryParse(Environment.GetEnvironmentVariable("BROKER_CHAOS_SECONDS"), CultureInfo.InvariantCulture, out int seconds) ? seconds : Usual);

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Between_a_living_ingress_and_a_living_egress_nothing_accepted_is_lost(bool foreign)
    {
        int seed = Random.Shared.Next();
        var random = new Random(seed);
        await using Pipeline pipeline = await Pipeline.StartAsync(foreign, apart: true);
        ZeroMqBridge ingress = await pipeline.BridgeAsync(options => options with { Pullers = [] });
        ZeroMqBridge first = await pipeline.BridgeAsync(options => options with { Pushers = [] });
        ZeroMqBridge second = await pipeline.BridgeAsync(options => options with { Pushers = [] });
        await using var pusher = new PyPusher(ingress.PusherEndpoint(), "p", size: 200);
        await using var steady = new PyPuller(first.PullerEndpoint());
        long handedToTheDead = 0;
        long pushed = 0;
        var mortal = new PyPuller(second.PullerEndpoint());
        try
        {
            var since = Stopwatch.StartNew();
            while (since.Elapsed < Duration)
            {
                if (ingress.Route().Accepted + MostSentAhead > pushed)
                {
                    pushed += MostSentAhead;
                    await pusher.SendAsync(MostSentAhead);
                }

                switch (random.Next(6))
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
                        await Task.Delay(random.Next(200), TestContext.Current.CancellationToken);
                        await steady.TakeAsync();
                        break;
                    default:
                        await Task.Delay(random.Next(200), TestContext.Current.CancellationToken);
                        break;
                }
            }

            await mortal.TakeAsync();
            await Wait.UntilAsync(
                async () => await pusher.SentAsync() == pushed && ingress.Route().Accepted == pushed && ingress.Route().InFlight == 0, Describe);
            handedToTheDead = second.Route().HandedOver;

            // Whom none was killed who took from it, handed over exactly what came out there.
            await Wait.UntilAsync(async () => await steady.CountAsync() == first.Route().HandedOver, Describe);
            Assert.Equal(await steady.CountAsync(), await steady.DistinctAsync());
            Assert.True(pushed == first.Route().HandedOver + handedToTheDead, Describe());
            Assert.True(first.Route().PossibleDuplicates + second.Route().PossibleDuplicates == 0, Describe());
        }
        finally
        {
            await mortal.DisposeAsync();
        }

        string Describe()
        {
            PushPullRouteSnapshot into = ingress.Route();
            return $"seed {seed}: {pushed} pushed, {into}, {first.Route()}, {second.Route()}";
        }
    }
}
