using System.Globalization;
using System.Net;
using System.Text;
using System.Text.Json.Nodes;
using System.Text.RegularExpressions;
using Broker.Bridge.Tests.Chaos.Support;
using Broker.Bridge.Tests.Pipelines.Support;
using Broker.Client;

namespace Broker.Bridge.Tests.Chaos;

/// <summary>The same chaos with a JetStream work queue and with egresses that close and start again.</summary>
public sealed partial class StreamChaosTests : IDisposable
{
    private const int MostSentAhead = 1000;
    private const int Window = 256;
    private const int LooksAtTheStream = 500;

    private readonly DirectoryInfo _store = Directory.CreateTempSubdirectory("jetstream-");

    public void Dispose() => _store.Delete(recursive: true);

    [Fact]
    public async Task No_acknowledged_message_is_lost_and_repeated_messages_are_counted()
    {
        int seed = Seed.Next();
        var random = new Random(seed);
        await using Pipeline pipeline = await Pipeline.StartAsync(foreign: true, "-js", "-sd", _store.FullName);
        await using var links = new ChaosLinks(random);
        ZeroMqBridge ingress = await pipeline.BridgeAsync(options => WithStream(options) with { Pullers = [] }, Server());
        await using var pusher = new PyPusher(links.OpenUncut(ingress.PusherEndpoint()), "p", size: 100);

        // The PULL binds, so that each bridge finds it. Messages that a bridge has written to its connection are sent
        // before the connection closes.
        await using var puller = new PyPuller(endpoint: null);
        string pulls = links.OpenUncut(await puller.EndpointAsync());
        ZeroMqBridge[] egresses = [await EgressAsync(), await EgressAsync()];
        List<ZeroMqBridge> ended = [];
        long pushed = 0;
        int kills = 0;
        for (var time = new ChaosTime(); time.GoesOn;)
        {
            if (ingress.Route().Accepted + MostSentAhead > pushed)
            {
                pushed += MostSentAhead;
                await pusher.SendAsync(MostSentAhead);
            }

            switch (random.Next(8))
            {
                case 0:
                    await pipeline.Remote!.RestartAsync(BeginPeriodAsync);
                    kills++;
                    break;
                case 1:
                    int which = random.Next(egresses.Length);
                    ended.Add(egresses[which]);
                    await pipeline.EndAsync(egresses[which], linger: Wait.Limit);
                    egresses[which] = await EgressAsync();
                    break;
                case 2:
                    await puller.TakeAsync(takes: false);
                    await ChaosTime.PassAsync(random);
                    await puller.TakeAsync();
                    break;
                case 3 or 4:
                    await links.StallAsync();
                    break;
                case 5:
                    links.Cut();
                    break;
                default:
                    await ChaosTime.PassAsync(random);
                    break;
            }
        }

        await Wait.UntilAsync(
            async () => await pusher.SentAsync() == pushed && ingress.Route() is { InFlight: 0 } route && route.Acknowledged == pushed, Describe);
        await UntilPulledAsync(async () => await puller.DistinctAsync() == pushed);
        await UntilPulledAsync(async () => await puller.CountAsync() == Sum(route => route.Delivered));
        Assert.Equal(pushed, ingress.Route().Accepted);

        // The stream contains a message twice only if the message was published again without an answer. A server that
        // was killed may assign sequence numbers a second time.
        long stored = await StoredAsync(pipeline);
        Assert.True(stored <= pushed + ingress.Route().Resent, $"{stored} stored; {Describe()}; {await InfoAsync(pipeline)}; {Lines()}");

        // A killed server forgets the acknowledgements that it has not written yet, as many as they are, so repeats are
        // compared within each of its lives. Messages that an egress still had, and that went to another egress after
        // the kill, are not counted. Messages that a recreated consumer delivers to a new egress are not counted
        // either, but the log line contains their number.
        long again = await puller.AgainAsync();
        long counted = Sum(route => route.PossibleDuplicates) + (kills * egresses.Length * Window) + PassedOver();
        Assert.True(again <= counted, $"{again} came again and {counted} were counted; {Describe()}; {Lines()}");

        // The PULL has all messages that were delivered while the killed server was alive.
        async Task BeginPeriodAsync()
        {
            await Wait.UntilAsync(async () => await puller.CountAsync() == Sum(route => route.Delivered), Describe);
            await puller.BeginPeriodAsync();
        }

        async Task UntilPulledAsync(Func<Task<bool>> holds)
        {
            string state = "";
            int looks = 0;
            await Wait.UntilAsync(
                async () =>
                {
                    if (await holds())
                    {
                        return true;
                    }

                    if (++looks % LooksAtTheStream == 0)
                    {
                        state = $"{await puller.CountAsync()} pulled, {await puller.DistinctAsync()} of them distinct, {Sum(route => route.Delivered)} handed over, "
                            + await InfoAsync(pipeline);
                    }

                    return false;
                },
                () => $"{state}; {Describe()}; {Lines()}");
        }

        long Sum(Func<PushPullRouteSnapshot, long> count) => ended.Concat(egresses).Sum(bridge => count(bridge.Route()));
        long PassedOver() => pipeline.Log.Warnings.Select(line => PassedOverLine().Match(line)).Where(match => match.Success)
            .Sum(match => long.Parse(match.Groups[1].Value, CultureInfo.InvariantCulture));
        string Lines() => string.Join('\n', pipeline.Log.Warnings.TakeLast(20));
        string Server() => $"nats://{links.Open(IPEndPoint.Parse(new Uri(pipeline.Url).Authority)).Address}";
        string Describe() => $"seed {seed}: {pushed} pushed, {ingress.Route()}, {ended.Count} ended, {egresses[0].Route()}, {egresses[1].Route()}";

        Task<ZeroMqBridge> EgressAsync() => pipeline.BridgeAsync(
            options => WithStream(options) with { Pushers = [], Pullers = [new BridgeEndpoint(Bind: false, pulls)] }, Server());
    }

    [GeneratedRegex(" has skipped ([0-9]+) messages ")]
    private static partial Regex PassedOverLine();

    // The server's description of the stream and of its consumers.
    private static async Task<string> InfoAsync(Pipeline pipeline)
    {
        BrokerConnection client = await pipeline.ClientAsync();
        Message stream = await client.RequestAsync("$JS.API.STREAM.INFO.WORK", default, Wait.Limit, cancellationToken: TestContext.Current.CancellationToken);
        Message consumers = await client.RequestAsync("$JS.API.CONSUMER.LIST.WORK", default, Wait.Limit, cancellationToken: TestContext.Current.CancellationToken);
        return $"{Encoding.UTF8.GetString(stream.Body.Span)} {Encoding.UTF8.GetString(consumers.Body.Span)}";
    }

    // The sequence number of the last message.
    private static async Task<long> StoredAsync(Pipeline pipeline)
    {
        BrokerConnection client = await pipeline.ClientAsync();
        Message info = await client.RequestAsync("$JS.API.STREAM.INFO.WORK", default, Wait.Limit, cancellationToken: TestContext.Current.CancellationToken);
        return (long)JsonNode.Parse(info.Body.Span)!["state"]!["last_seq"]!;
    }

    private static PushPullRouteOptions WithStream(PushPullRouteOptions options)
        => options with { Window = Window, Stream = new StreamQueueOptions { Stream = "WORK", AckWait = TimeSpan.FromSeconds(5) } };
}
