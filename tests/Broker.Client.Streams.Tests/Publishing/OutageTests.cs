using Broker.Client.Streams.Tests.Support;

namespace Broker.Client.Streams.Tests.Publishing;

/// <summary>Publishing while the server is lost.</summary>
public sealed class OutageTests
{
    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task During_an_outage_the_wait_is_bounded_and_the_error_says_that_the_outcome_is_unknown(string name)
    {
        await using var server = StreamServer.Start(name);
        await using BrokerConnection connection = await server.ConnectAsync();
        using StreamsClient streams = connection.Streams(new StreamsOptions { AcknowledgementTimeout = TimeSpan.FromMilliseconds(300) });
        server.Kill();
        await Wait.UntilAsync(() => connection.State == ConnectionState.Reconnecting);

        UnknownOutcomeException plain = await Assert.ThrowsAsync<UnknownOutcomeException>(
            () => streams.PublishAsync("a", default, cancellationToken: Ended).AsTask());
        UnknownOutcomeException withId = await Assert.ThrowsAsync<UnknownOutcomeException>(
            () => streams.PublishAsync("a", default, new StreamPublishOptions { MessageId = "m1" }, cancellationToken: Ended).AsTask());

        Assert.False(plain.IsRetrySafe);
        Assert.Contains("It is unknown whether the message to 'a' is stored", plain.Message, StringComparison.Ordinal);
        Assert.Contains("may store it twice", plain.Message, StringComparison.Ordinal);
        Assert.True(withId.IsRetrySafe);
        Assert.Contains("is safe, because it has the id 'm1'", withId.Message, StringComparison.Ordinal);
    }

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task Messages_with_an_id_are_stored_once_although_the_server_is_killed(string name)
    {
        await using var server = StreamServer.Start(name);
        await using BrokerConnection connection = await server.ConnectAsync();
        using StreamsClient streams = connection.Streams(new StreamsOptions { AcknowledgementTimeout = Wait.Limit, NoStreamRetries = 1000 });
        await streams.CreateStreamAsync(new StreamConfig("S", "s.>"), Ended);
        var tasks = new List<Task<PublishAck>>();

        for (int i = 0; i < 2000; i++)
        {
            tasks.Add(streams.PublishAsync("s.a", new byte[100], new StreamPublishOptions { MessageId = $"{i}" }, cancellationToken: Ended).AsTask());
            if (i == 1000)
            {
                server.Restart();
            }
        }

        PublishAck[] acks = await Wait.For(Task.WhenAll(tasks));
        // A kill may lose what the server had not written yet, so only the ids are compared, not the sequences.
        Assert.Equal(tasks.Count, acks.Length);
        Assert.True((await streams.GetStreamAsync("S", cancellationToken: Ended)).State.Messages <= (ulong)tasks.Count);
    }

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task A_message_without_an_id_ends_at_once_if_its_server_is_lost(string name)
    {
        await using var server = StreamServer.Start(name);
        await using BrokerConnection connection = await server.ConnectAsync();
        // A subject of a plain subscriber: it is delivered and never acknowledged.
        using Subscription plain = connection.Subscribe("a", static (in MessageView _) => { });
        using StreamsClient streams = connection.Streams(new StreamsOptions { AcknowledgementTimeout = TimeSpan.FromDays(1) });
        Task<PublishAck> publish = streams.PublishAsync("a", default, cancellationToken: Ended).AsTask();
        await connection.PingAsync(Ended);

        server.Kill();

        UnknownOutcomeException lost = await Assert.ThrowsAsync<UnknownOutcomeException>(() => Wait.For(publish));
        Assert.Contains("the server was lost", lost.Message, StringComparison.Ordinal);
    }

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task The_end_of_the_client_or_the_connection_ends_what_is_in_flight(string name)
    {
        await using var server = StreamServer.Start(name);
        await using BrokerConnection connection = await server.ConnectAsync();
        using Subscription plain = connection.Subscribe("a", static (in MessageView _) => { });
        var options = new StreamsOptions { AcknowledgementTimeout = TimeSpan.FromDays(1), MaxPublishesInFlight = 1 };
        StreamsClient disposed = connection.Streams(options);
        using StreamsClient closed = connection.Streams(options);
        Task<PublishAck> one = disposed.PublishAsync("a", default, cancellationToken: Ended).AsTask();
        Task<PublishAck> unsent = disposed.PublishAsync("a", default, cancellationToken: Ended).AsTask();
        Task<PublishAck> other = closed.PublishAsync("a", default, cancellationToken: Ended).AsTask();

        disposed.Dispose();
        await connection.CloseAsync();

        await Assert.ThrowsAsync<UnknownOutcomeException>(() => Wait.For(one));
        await Assert.ThrowsAsync<UnknownOutcomeException>(() => Wait.For(other));
        StreamException notSent = await Assert.ThrowsAsync<StreamException>(() => Wait.For(unsent));
        Assert.Contains("was not sent", notSent.Message, StringComparison.Ordinal);
        await Assert.ThrowsAsync<ObjectDisposedException>(() => disposed.PublishAsync("a", default, cancellationToken: Ended).AsTask());
    }
}
