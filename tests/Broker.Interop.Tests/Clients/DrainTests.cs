using System.Globalization;
using Broker.Interop.Tests.Harness;

namespace Broker.Interop.Tests.Clients;

/// <summary>Tests that an official client that drains loses no message and receives none twice.</summary>
[Trait("clients", "official")]
public sealed class DrainTests(SharedServers servers)
{
    private const int Count = 20_000;

    private readonly string _subject = SharedServers.NewSubject();

    // Without libnats 3.4.1: sometimes the client misses one message, in the library or in its peer program, also with
    // nats-server. Its connections drain completely, as the next test shows.
    [Theory]
    [InlineData("nats.js", "broker")]
    [InlineData("nats.js", "nats-server")]
    [InlineData("nats.go", "broker")]
    [InlineData("nats.go", "nats-server")]
    public async Task A_member_of_a_queue_group_that_drains_amid_traffic_leaves_the_rest_to_the_others(string client, string server)
    {
        await using NatsSession leaving = await ConnectAsync(client, server);
        await using NatsSession staying = await ConnectAsync(client, server);
        await using NatsSession publisher = await ConnectAsync(client, server);
        await leaving.SubscribeAsync("member", _subject, "group");
        await staying.SubscribeAsync("member", _subject, "group");
        await staying.SubscribeAsync("end", _subject + ".end");

        Task traffic = publisher.BurstAsync(_subject, Count);
        string first = (await leaving.ReadAsync("member")).PayloadText;
        await leaving.DrainAsync("member");
        await traffic;
        await publisher.PublishAsync(_subject + ".end", "");

        await staying.ReadAsync("end");
        await staying.DrainAsync("member");
        await leaving.RoundTripAsync();
        IOrderedEnumerable<int> taken = leaving.Received("member").Append(first).Concat(staying.Received("member")).Select(Number).Order();
        Assert.Equal(Enumerable.Range(0, Count), taken);
    }

    [Theory]
    [MemberData(nameof(Combinations.All), MemberType = typeof(Combinations))]
    public async Task A_connection_that_drains_delivers_what_it_published_and_reports_what_it_got(string client, string server)
    {
        await using NatsSession other = await ConnectAsync(client, server);
        await using NatsSession leaving = await ConnectAsync(client, server);
        await leaving.SubscribeAsync("in", _subject + ".in");
        await other.SubscribeAsync("out", _subject + ".out");
        await other.BurstAsync(_subject + ".in", Count);
        await other.FlushAsync();

        await leaving.BurstAsync(_subject + ".out", Count);
        await leaving.DrainAsync();
        Assert.Equal("", await leaving.EventAsync("closed"));

        for (int i = 0; i < Count; i++)
        {
            Assert.Equal(i, Number((await other.ReadAsync("out")).PayloadText));
        }

        Assert.Equal(Enumerable.Range(0, Count), leaving.Received("in").Select(Number));
    }

    private static int Number(string text) => int.Parse(text, CultureInfo.InvariantCulture);

    private async Task<NatsSession> ConnectAsync(string client, string server)
        => await NatsSession.ConnectAsync(client, (await servers.OpenAsync(server)).Url);
}
