using Broker.Interop.Tests.Harness;

namespace Broker.Interop.Tests.Clients;

/// <summary>Tests that official clients reconnect to the same or to another server.</summary>
[Trait("clients", "official")]
public sealed class ReconnectTests
{
    [Theory]
    [MemberData(nameof(Combinations.All), MemberType = typeof(Combinations))]
    public async Task Subscriptions_live_on_when_the_server_is_killed_and_started_again(string client, string server)
    {
        await using ConfiguredServer restarted = await ConfiguredServer.StartAsync(server);
        await using NatsSession subscriber = await NatsSession.ConnectAsync(client, restarted.Url);
        await using NatsSession publisher = await NatsSession.ConnectAsync(client, restarted.Url);
        await subscriber.SubscribeAsync("plain", "subject.*");
        await subscriber.SubscribeAsync("member", "subject.a", "group");
        await subscriber.RespondAsync("echo", "service");
        await subscriber.SubscribeAsync("gone", "subject.a");
        await subscriber.UnsubscribeAsync("gone");

        await restarted.KillAsync();
        await subscriber.EventAsync("disconnected");
        await restarted.StartAgainAsync();
        Assert.EndsWith($":{restarted.Port}", await subscriber.EventAsync("reconnected"), StringComparison.Ordinal);
        await publisher.EventAsync("reconnected");
        await subscriber.FlushAsync();

        await publisher.PublishAsync("subject.a", "again");
        Assert.Equal("again", (await subscriber.ReadAsync("plain")).PayloadText);
        Assert.Equal("again", (await subscriber.ReadAsync("member")).PayloadText);
        Assert.Equal("ask", await publisher.RequestAsync("service", "ask"));
        Assert.Empty(subscriber.Received("gone"));
    }

    [Theory]
    // Without nats.js, which drops messages that it could not send.
    [InlineData("nats.c", "broker")]
    [InlineData("nats.go", "broker")]
    [InlineData("nats.c", "nats-server")]
    [InlineData("nats.go", "nats-server")]
    public async Task What_is_published_while_the_server_is_away_is_delivered_when_it_is_back(string client, string server)
    {
        await using ConfiguredServer restarted = await ConfiguredServer.StartAsync(server);
        await using NatsSession session = await NatsSession.ConnectAsync(client, restarted.Url);
        await session.SubscribeAsync("a", "subject");

        await restarted.KillAsync();
        await session.EventAsync("disconnected");
        await session.BurstAsync("subject", 100);
        await restarted.StartAgainAsync();
        await session.EventAsync("reconnected");

        for (int i = 0; i < 100; i++)
        {
            Assert.Equal($"{i}", (await session.ReadAsync("a")).PayloadText);
        }
    }

    [Theory]
    [MemberData(nameof(Combinations.All), MemberType = typeof(Combinations))]
    public async Task A_client_with_credentials_shows_them_again(string client, string server)
    {
        var key = UserKey.Create();
        await using ConfiguredServer restarted = await ConfiguredServer.StartAsync(server, $"authorization {{ timeout: 60, users = [ {{ nkey: {key.Public} }} ] }}\n");
        await using NatsSession session = await NatsSession.ConnectAsync(client, restarted.Url, key.Options);
        await session.SubscribeAsync("a", "subject");

        await restarted.KillAsync();
        await restarted.StartAgainAsync();
        await session.EventAsync("reconnected");

        await session.PublishAsync("subject", "signed anew");
        Assert.Equal("signed anew", (await session.ReadAsync("a")).PayloadText);
    }

    [Theory]
    [MemberData(nameof(Combinations.All), MemberType = typeof(Combinations))]
    public async Task A_client_with_two_servers_goes_to_the_other_when_one_dies(string client, string server)
    {
        await using ConfiguredServer first = await ConfiguredServer.StartAsync(server);
        await using ConfiguredServer second = await ConfiguredServer.StartAsync(server);
        await using NatsSession session = await NatsSession.ConnectAsync(client, $"{first.Url},{second.Url}");
        await using NatsSession there = await NatsSession.ConnectAsync(client, second.Url);
        await session.SubscribeAsync("a", "subject");

        await first.KillAsync();

        Assert.EndsWith($":{second.Port}", await session.EventAsync("reconnected"), StringComparison.Ordinal);
        await session.FlushAsync();
        await there.PublishAsync("subject", "over here");
        Assert.Equal("over here", (await session.ReadAsync("a")).PayloadText);
    }

    [Theory]
    [MemberData(nameof(Combinations.All), MemberType = typeof(Combinations))]
    public async Task A_client_connects_to_the_second_of_its_servers_when_the_first_is_not_there(string client, string server)
    {
        await using ConfiguredServer second = await ConfiguredServer.StartAsync(server);

        await using NatsSession session = await NatsSession.ConnectAsync(client, $"nats://127.0.0.1:{FreePort.Next()},{second.Url}");

        await session.RoundTripAsync();
    }

    [Theory]
    [MemberData(nameof(Combinations.All), MemberType = typeof(Combinations))]
    public async Task A_client_learns_of_another_server_while_it_is_connected_and_goes_there(string client, string server)
    {
        await using ServerPair pair = await ServerPair.StartFirstAsync(server);
        await using NatsSession session = await NatsSession.ConnectAsync(client, pair.First.Url);
        await session.SubscribeAsync("a", "subject");

        await pair.StartSecondAsync();
        await pair.IntroduceAsync();
        Assert.Contains($":{pair.Second.Port}", await session.EventAsync("discovered"), StringComparison.Ordinal);
        await pair.First.KillAsync();

        Assert.EndsWith($":{pair.Second.Port}", await session.EventAsync("reconnected"), StringComparison.Ordinal);
        await session.PublishAsync("subject", "over here");
        Assert.Equal("over here", (await session.ReadAsync("a")).PayloadText);
    }

    [Theory]
    [MemberData(nameof(Combinations.All), MemberType = typeof(Combinations))]
    public async Task Lame_duck_is_told_to_the_client_and_sends_it_to_the_other_server(string client, string server)
    {
        await using ServerPair pair = await ServerPair.StartFirstAsync(server);
        await pair.StartSecondAsync();
        await pair.IntroduceAsync();
        await using NatsSession session = await NatsSession.ConnectAsync(client, $"{pair.First.Url},{pair.Second.Url}");
        await session.SubscribeAsync("a", "subject");

        await pair.First.Process.SignalAsync("USR2");

        await session.EventAsync("lameduck");
        Assert.EndsWith($":{pair.Second.Port}", await session.EventAsync("reconnected"), StringComparison.Ordinal);
        await session.PublishAsync("subject", "over here");
        Assert.Equal("over here", (await session.ReadAsync("a")).PayloadText);
        Assert.NotEmpty(await NatsSession.RefusalAsync(client, pair.First.Url));
    }
}
