using System.Text;
using Broker.Client.Streams.Tests.Support;

namespace Broker.Client.Streams.Tests.Publishing;

/// <summary>
/// The order of messages that are sent again, and callers that block, with a server in the test's hands.
/// </summary>
public sealed class ResendTests
{
    private const string Subject = "s.a";

    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    [Fact]
    public async Task Messages_are_sent_again_in_the_order_of_their_calls()
    {
        await using var script = Scripted.Start();
        StreamsClient streams = await script.ConnectAsync();
        Task<PublishAck> first = PublishAsync(streams, "a");
        var others = new List<Task<PublishAck>> { PublishAsync(streams, "b"), PublishAsync(streams, "c") };
        Acknowledge(script, await NextAsync(script), 1);
        await Wait.For(first);
        // This message gets the place of the first one.
        others.Add(PublishAsync(streams, "d"));
        Assert.Equal(["b", "c", "d"], await TakeAsync(script, 3, acknowledge: false));

        script.Drop();

        Assert.Equal(["b", "c", "d"], await TakeAsync(script, 3, acknowledge: true));
        await Wait.For(Task.WhenAll(others));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Messages_that_are_published_without_a_server_do_not_overtake_older_ones(bool beforeThePublisherKnows)
    {
        await using var script = Scripted.Start();
        StreamsClient streams = await script.ConnectAsync();
        var late = new List<Task<PublishAck>>();
        // The handlers of a state are called in the order in which they were added, and the publisher has one of them.
        void PublishLate(BrokerConnection connection, ConnectionState state)
        {
            if (state == ConnectionState.Reconnecting)
            {
                late.Add(PublishAsync(streams, "c"));
                late.Add(streams.PublishAsync(Subject, "d"u8.ToArray(), cancellationToken: Ended).AsTask());
            }
        }

        streams.Connection.StateChanged += PublishLate;
        if (beforeThePublisherKnows)
        {
            streams = streams.Connection.Streams(new StreamsOptions { AcknowledgementTimeout = Wait.Limit });
        }

        var early = new List<Task<PublishAck>> { PublishAsync(streams, "a"), PublishAsync(streams, "b") };
        Assert.Equal(["a", "b"], await TakeAsync(script, 2, acknowledge: false));

        script.Drop();

        Assert.Equal(["a", "b", "c", "d"], await TakeAsync(script, 4, acknowledge: true));
        await Wait.For(Task.WhenAll(early));
        await Wait.For(Task.WhenAll(late));
        Assert.False(script.Has(static p => p.Subject == Subject), "A message was sent twice.");
    }

    [Fact]
    public async Task A_caller_that_blocks_does_not_keep_others_from_their_outcomes()
    {
        await using var script = Scripted.Start();
        StreamsClient streams = await script.ConnectAsync();
        using var released = new ManualResetEventSlim();
        var blocking = Task.Run(
            async () =>
            {
                await PublishAsync(streams, "a").ConfigureAwait(false);
                Assert.True(released.Wait(Wait.Limit, Ended));
            },
            Ended);
        Scripted.Published first = await NextAsync(script);
        Task<PublishAck[]> others = Task.WhenAll(PublishAsync(streams, "b"), PublishAsync(streams, "c"));
        Scripted.Published second = await NextAsync(script);
        Scripted.Published third = await NextAsync(script);

        Acknowledge(script, first, 1);
        Acknowledge(script, second, 2);
        Acknowledge(script, third, 3);

        await Wait.For(others);
        released.Set();
        await Wait.For(blocking);
    }

    private static async Task<PublishAck> PublishAsync(StreamsClient streams, string text)
        => await streams.PublishAsync(Subject, Encoding.UTF8.GetBytes(text), new StreamPublishOptions { MessageId = text }, cancellationToken: Ended)
            .ConfigureAwait(false);

    private static Task<Scripted.Published> NextAsync(Scripted script) => script.TakeAsync(static p => p.Subject == Subject, "a message");

    private static async Task<string[]> TakeAsync(Scripted script, int count, bool acknowledge)
    {
        string[] bodies = new string[count];
        for (int i = 0; i < count; i++)
        {
            Scripted.Published message = await NextAsync(script);
            bodies[i] = message.Body;
            if (acknowledge)
            {
                Acknowledge(script, message, i + 2);
            }
        }

        return bodies;
    }

    private static void Acknowledge(Scripted script, Scripted.Published message, int sequence)
        => script.Answer(message.ReplyTo, $$"""{"stream":"S","seq":{{sequence}}}""");
}
