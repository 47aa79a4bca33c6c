using Broker.Client;

namespace Broker.Testing.Tests;

public sealed class StreamsTests
{
    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    [Fact]
    public async Task A_broker_with_streams_stores_messages_until_it_is_disposed()
    {
        await using TestBroker broker = await TestBroker.StartWithStreamsAsync(cancellationToken: Ended);
        Message created = await broker.Client.RequestAsync("$JS.API.STREAM.CREATE.S", """{"name":"S","subjects":["s.>"]}""", cancellationToken: Ended);
        Assert.Contains("\"did_create\":true", created.Text, StringComparison.Ordinal);

        Message ack = await broker.Client.RequestAsync("s.a", "1", cancellationToken: Ended);

        Assert.Equal("{\"stream\":\"S\",\"seq\":1}", ack.Text);
        Assert.True(broker.Client.ServerInfo!.JetStream);
        string directory = broker.Server.Inspect().Streams!.Directory;
        Assert.True(Directory.Exists(directory));
        await broker.DisposeAsync();
        Assert.False(Directory.Exists(directory));
    }

    [Fact]
    public async Task A_broker_without_streams_says_so()
    {
        await using TestBroker broker = await TestBroker.StartAsync(cancellationToken: Ended);

        Assert.False(broker.Client.ServerInfo!.JetStream);
        Assert.Null(broker.Server.Inspect().Streams);
    }
}
