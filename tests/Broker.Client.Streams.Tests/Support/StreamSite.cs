namespace Broker.Client.Streams.Tests.Support;

/// <summary>A connection, and names that no other test uses.</summary>
internal sealed class StreamSite(BrokerConnection connection, StreamsClient streams) : IAsyncDisposable
{
    internal BrokerConnection Connection => connection;

    internal StreamsClient Streams => streams;

    /// <summary>The name of the stream of this test.</summary>
    internal string Name { get; } = "S" + BrokerConnection.NewInbox("x")[2..];

    /// <summary>A subject of the stream of this test.</summary>
    internal string Subject(string last = "a") => $"{Name}.{last}";

    /// <summary>Creates the stream of this test, in memory.</summary>
    internal Task<StreamInfo> CreateAsync(Action<StreamConfig>? configure = null)
    {
        var config = new StreamConfig(Name, $"{Name}.>") { Storage = StorageType.Memory };
        configure?.Invoke(config);
        return streams.CreateStreamAsync(config, TestContext.Current.CancellationToken);
    }

    public async ValueTask DisposeAsync()
    {
        streams.Dispose();
        await connection.DisposeAsync();
    }
}
