using Broker.Server.Tests.Harness;
using Broker.Transport;

namespace Broker.Server.Tests.Sampling;

/// <summary>The subjects that a server with sampling shows.</summary>
public sealed class SampledSubjectsTests
{
    private const int Messages = 20_000;

    [Fact]
    public async Task Without_sampling_there_is_no_sampler_that_code_could_use()
    {
        var state = new LoopState(0, alone: true);
        Assert.Null(state.Sampler);
        Assert.Equal(long.MaxValue, state.NextSample);
        // A message that was sampled now would fail.
        Assert.Throws<NullReferenceException>(() => state.Sample("A", "a"u8.ToArray(), 1));

        await using BrokerServer server = await Servers.StartAsync();
        using var client = RawClient.Open(server);
        Publish(client, "a", Messages);
        SubjectPage page = server.InspectSubjects();
        Assert.Equal(0, page.Interval);
        Assert.Empty(page.Subjects);
        Assert.Equal(Messages, server.Snapshot().MessagesIn);
    }

    [Fact]
    public async Task Every_message_is_counted_at_interval_1_with_its_payload()
    {
        await using BrokerServer server = await Servers.StartAsync(static o =>
        {
            o.SampleSubjects = 1;
            o.LoopOptions = new EventLoopOptions { Loops = 2 };
        });
        using var one = RawClient.Open(server);
        using var two = RawClient.Open(server);
        Publish(one, "little", 10);
        Publish(one, "more", 30);
        Publish(two, "more", 20);
        SubjectPage page = server.InspectSubjects();
        Assert.Equal(
            [("more", 50L, 250L), ("little", 10L, 50L)],
            page.Subjects.Select(static s => (s.Subject, s.Messages, s.Bytes)));
        Assert.Equal(1, page.Interval);
    }

    [Fact]
    public async Task An_estimate_is_near_the_number_of_messages_also_if_clients_publish_in_a_pattern()
    {
        await using BrokerServer server = await Servers.StartAsync(static o => o.SampleSubjects = 10);
        using var client = RawClient.Open(server);
        string pattern = string.Concat(Enumerable.Repeat("PUB often 5\r\nhello\r\n", 9)) + "PUB seldom 5\r\nhello\r\n";
        for (int i = 0; i < Messages; i += 1_000)
        {
            client.Send(string.Concat(Enumerable.Repeat(pattern, 100)));
            client.Sync();
        }

        SubjectPage page = server.InspectSubjects();
        // The standard deviation of the number of samples is about 3 % for the subject with 200 samples and more.
        Assert.InRange(page.Subjects.Single(static s => s.Subject == "often").Messages, Messages * 0.75, Messages * 1.05);
        Assert.InRange(page.Subjects.Single(static s => s.Subject == "seldom").Messages, Messages * 0.04, Messages * 0.2);
        Assert.Equal("often", page.Subjects[0].Subject);
    }

    [Fact]
    public async Task A_reload_begins_and_ends_the_sampling()
    {
        await using BrokerServer server = await Servers.StartAsync();
        using var client = RawClient.Open(server);
        await server.ReloadAsync(static o => o.SampleSubjects = 1);
        // The action of the reload runs on the loop before the operations of a later iteration.
        await Servers.UntilAsync(
            () =>
            {
                Publish(client, "a", 1);
                return server.InspectSubjects().Subjects.Count == 1;
            },
            "a message to be sampled");
        await server.ReloadAsync(static o => o.SampleSubjects = 0);
        Assert.Empty(server.InspectSubjects().Subjects);
    }

    private static void Publish(RawClient client, string subject, int count)
    {
        client.Send(string.Concat(Enumerable.Repeat($"PUB {subject} 5\r\nhello\r\n", count)));
        client.Sync();
    }
}
