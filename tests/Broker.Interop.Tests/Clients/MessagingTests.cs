using System.Globalization;
using Broker.Interop.Tests.Harness;

namespace Broker.Interop.Tests.Clients;

/// <summary>Tests the usual operations of official clients with messages.</summary>
[Trait("clients", "official")]
public sealed class MessagingTests(SharedServers servers)
{
    private readonly string _subject = SharedServers.NewSubject();

    [Theory]
    [MemberData(nameof(Combinations.All), MemberType = typeof(Combinations))]
    public async Task Headers_keep_their_values_in_order_and_an_empty_payload_is_one(string client, string server)
    {
        await using NatsSession session = await ConnectAsync(client, server);
        await session.SubscribeAsync("a", _subject);

        await session.PublishAsync(_subject, "", "Unit: C", "Tag: first", "Tag: second", "Note: a:b, c");

        Message message = await session.ReadAsync("a");
        Assert.Empty(message.Payload);
        Assert.Equal(["Note: a:b, c", "Tag: first", "Tag: second", "Unit: C"], message.Headers.OrderBy(line => line[0]));
    }

    [Theory]
    [MemberData(nameof(Combinations.All), MemberType = typeof(Combinations))]
    public async Task A_request_that_nobody_serves_fails_at_once_with_status_503(string client, string server)
    {
        await using NatsSession session = await ConnectAsync(client, server);
        await session.SubscribeAsync("reply", _subject + ".reply");

        Assert.Contains("no responders", await session.RequestFailureAsync(_subject), StringComparison.OrdinalIgnoreCase);
        await session.AskAsync(_subject, _subject + ".reply", "ask");

        Message status = await session.ReadAsync("reply");
        Assert.Contains("Status: 503", status.Headers);
        Assert.Empty(status.Payload);
    }

    [Theory]
    [MemberData(nameof(Combinations.All), MemberType = typeof(Combinations))]
    public async Task A_request_that_is_not_answered_ends_in_time_and_the_next_one_is_served(string client, string server)
    {
        await using NatsSession service = await ConnectAsync(client, server);
        await using NatsSession session = await ConnectAsync(client, server);
        await service.SubscribeAsync("silent", _subject + ".silent");
        await service.RespondAsync("echo", _subject + ".echo");

        Assert.Contains("timeout", await session.RequestFailureAsync(_subject + ".silent", 200), StringComparison.OrdinalIgnoreCase);

        Assert.Equal("ask", (await service.ReadAsync("silent")).PayloadText);
        Assert.Equal("ask", await session.RequestAsync(_subject + ".echo", "ask"));
    }

    [Theory]
    [MemberData(nameof(Combinations.All), MemberType = typeof(Combinations))]
    public async Task One_request_takes_many_replies(string client, string server)
    {
        await using NatsSession first = await ConnectAsync(client, server);
        await using NatsSession second = await ConnectAsync(client, server);
        await using NatsSession session = await ConnectAsync(client, server);
        await first.RespondAsync("a", _subject, answers: 3);
        await second.RespondAsync("a", _subject, answers: 2);

        Assert.Equal(Enumerable.Repeat("ask", 5), await session.RequestManyAsync(_subject, "ask", 5));

        await session.SubscribeAsync("reply", _subject + ".reply");
        await session.AskAsync(_subject, _subject + ".reply", "all");
        for (int i = 0; i < 5; i++)
        {
            Assert.Equal("all", (await session.ReadAsync("reply")).PayloadText);
        }

        // A sixth message would have arrived before the replies to these requests.
        await first.RoundTripAsync();
        await second.RoundTripAsync();
        await session.RoundTripAsync();
        Assert.Empty(session.Received("reply"));
    }

    [Theory]
    [MemberData(nameof(Combinations.All), MemberType = typeof(Combinations))]
    public async Task A_queue_group_takes_each_message_once_and_a_plain_subscription_takes_all(string client, string server)
    {
        const int Count = 300;
        await using NatsSession first = await ConnectAsync(client, server);
        await using NatsSession second = await ConnectAsync(client, server);
        await using NatsSession publisher = await ConnectAsync(client, server);
        await first.SubscribeAsync("member", _subject, "group");
        await second.SubscribeAsync("member", _subject, "group");
        await second.SubscribeAsync("all", _subject);

        await publisher.BurstAsync(_subject, Count);
        await publisher.FlushAsync();

        for (int i = 0; i < Count; i++)
        {
            Assert.Equal(Text(i), (await second.ReadAsync("all")).PayloadText);
        }

        await first.DrainAsync("member");
        await second.DrainAsync("member");
        IOrderedEnumerable<int> taken = first.Received("member").Concat(second.Received("member")).Select(int.Parse).Order();
        Assert.Equal(Enumerable.Range(0, Count), taken);
        Assert.InRange(first.Received("member").Count, 1, Count - 1);
    }

    [Theory]
    [MemberData(nameof(Combinations.All), MemberType = typeof(Combinations))]
    public async Task A_client_without_echo_does_not_hear_itself(string client, string server)
    {
        await using NatsSession session = await ConnectAsync(client, server, "echo=no");
        await using NatsSession other = await ConnectAsync(client, server);
        await session.SubscribeAsync("a", _subject);

        await session.PublishAsync(_subject, "mine");
        await session.FlushAsync();
        await other.PublishAsync(_subject, "another's");

        Assert.Equal("another's", (await session.ReadAsync("a")).PayloadText);
    }

    [Theory]
    [MemberData(nameof(Combinations.All), MemberType = typeof(Combinations))]
    public async Task A_subscription_with_a_maximum_ends_with_it(string client, string server)
    {
        await using NatsSession session = await ConnectAsync(client, server);
        await using NatsSession other = await ConnectAsync(client, server);
        await session.SubscribeAsync("limited", _subject);
        await session.SubscribeAsync("gone", _subject);
        await session.SubscribeAsync("last", _subject);
        await session.UnsubscribeAsync("limited", after: 3);
        await session.UnsubscribeAsync("gone");

        await other.BurstAsync(_subject, 5);

        for (int i = 0; i < 5; i++)
        {
            Assert.Equal(Text(i), (await session.ReadAsync("last")).PayloadText);
        }

        for (int i = 0; i < 3; i++)
        {
            Assert.Equal(Text(i), (await session.ReadAsync("limited")).PayloadText);
        }
        // The server has removed them too: after the last one has left, there are no responders.
        await session.UnsubscribeAsync("last");
        Assert.Contains("no responders", await other.RequestFailureAsync(_subject), StringComparison.OrdinalIgnoreCase);
        Assert.Empty(session.Received("limited"));
        Assert.Empty(session.Received("gone"));
    }

    [Theory]
    [MemberData(nameof(Combinations.All), MemberType = typeof(Combinations))]
    public async Task The_largest_payload_arrives_whole_and_a_larger_one_is_refused_by_the_client(string client, string server)
    {
        const int Largest = 1024 * 1024;
        await using NatsSession session = await ConnectAsync(client, server);
        await session.SubscribeAsync("a", _subject);
        string payload = string.Create(Largest, 0, (text, _) =>
        {
            for (int i = 0; i < text.Length; i++)
            {
                text[i] = (char)(' ' + (i % 89));
            }
        });

        await session.PublishAsync(_subject, payload);
        await session.PublishAsync(_subject, payload[..(64 * 1024)]);
        string refusal = await session.PublishFailureAsync(_subject, payload + "!");

        Assert.Equal(payload, (await session.ReadAsync("a")).PayloadText);
        Assert.Equal(payload[..(64 * 1024)], (await session.ReadAsync("a")).PayloadText);
        Assert.Matches("(?i)max.*payload", refusal);
        await session.RoundTripAsync();
        session.AssertNoEvent("");
    }

    [Theory]
    [MemberData(nameof(Combinations.All), MemberType = typeof(Combinations))]
    public async Task The_clients_learn_a_smaller_limit_from_the_server(string client, string server)
    {
        await using ConfiguredServer small = await ConfiguredServer.StartAsync(server, "max_payload: 1000\n");
        await using NatsSession session = await NatsSession.ConnectAsync(client, small.Url);
        await session.SubscribeAsync("a", "subject");

        Assert.Matches("(?i)max.*payload", await session.PublishFailureAsync("subject", new string('x', 1001)));
        await session.PublishAsync("subject", new string('x', 1000));

        Assert.Equal(1000, (await session.ReadAsync("a")).Payload.Length);
    }

    [Theory]
    [MemberData(nameof(Combinations.All), MemberType = typeof(Combinations))]
    public async Task A_verbose_and_pedantic_client_is_confirmed_and_served_the_same(string client, string server)
    {
        await using NatsSession session = await ConnectAsync(client, server, "verbose=yes", "pedantic=yes");
        await session.RespondAsync("echo", _subject);
        await session.SubscribeAsync("a", _subject + ".a");

        await session.BurstAsync(_subject + ".a", 10);

        for (int i = 0; i < 10; i++)
        {
            Assert.Equal(Text(i), (await session.ReadAsync("a")).PayloadText);
        }

        Assert.Equal("ask", await session.RequestAsync(_subject, "ask"));
        session.AssertNoEvent("");
    }

    [Theory]
    [MemberData(nameof(Combinations.All), MemberType = typeof(Combinations))]
    public async Task Wildcards_select_what_they_say(string client, string server)
    {
        await using NatsSession session = await ConnectAsync(client, server);
        await session.SubscribeAsync("one", _subject + ".*.c");
        await session.SubscribeAsync("rest", _subject + ".b.>");
        await session.SubscribeAsync("last", _subject + ".end");

        foreach (string subject in (string[])["a.c", "b.c", "b", "b.c.d", "c", "b.d", "end"])
        {
            await session.PublishAsync($"{_subject}.{subject}", subject);
        }

        await session.ReadAsync("last");
        await session.DrainAsync("one");
        await session.DrainAsync("rest");
        Assert.Equal(["a.c", "b.c"], session.Received("one"));
        Assert.Equal(["b.c", "b.c.d", "b.d"], session.Received("rest"));
    }

    [Theory]
    [InlineData("nats.js", "nats.c")]
    [InlineData("nats.c", "nats.go")]
    [InlineData("nats.go", "nats.js")]
    public async Task Clients_of_two_libraries_ask_each_other(string asking, string answering)
    {
        await using NatsSession service = await ConnectAsync(answering, "broker");
        await using NatsSession session = await ConnectAsync(asking, "broker");
        await service.RespondAsync("echo", _subject, answers: 2);

        for (int i = 0; i < 20; i++)
        {
            Assert.Equal(Text(i), await session.RequestAsync(_subject, Text(i)));
        }

        Assert.Equal(["ask", "ask"], await session.RequestManyAsync(_subject, "ask", 2));
    }

    private static string Text(int number) => number.ToString(CultureInfo.InvariantCulture);

    private async Task<NatsSession> ConnectAsync(string client, string server, params string[] options)
        => await NatsSession.ConnectAsync(client, (await servers.OpenAsync(server)).Url, options);
}
