using System.Collections.Concurrent;
using Broker.Client.Streams.Tests.Support;

namespace Broker.Client.Streams.Tests.Consumers;

/// <summary>The events of the connection that this package uses.</summary>
public sealed class StateTests
{
    [Fact]
    public async Task A_library_sees_the_loss_the_reconnect_and_the_close()
    {
        await using var server = StreamServer.Start(StreamServer.Installed);
        BrokerConnection connection = await server.ConnectAsync(static options => options with { InboxPrefix = "_MINE" });
        var states = new ConcurrentQueue<(ConnectionState State, bool OnLoop)>();
        connection.StateChanged += static (_, _) => throw new InvalidDataException("a bad listener");
        connection.StateChanged += (changed, state) => states.Enqueue((state, changed.Loop.IsCurrent));

        server.Kill();
        await Wait.UntilAsync(() => states.Count == 1);
        server.Restart();
        await Wait.UntilAsync(() => states.Count == 2);
        await connection.CloseAsync();
        await Wait.UntilAsync(() => states.Count == 3);

        Assert.Equal("_MINE", connection.InboxPrefix);
        Assert.Equal([(ConnectionState.Reconnecting, true), (ConnectionState.Connected, true), (ConnectionState.Closed, false)], states.ToArray());
    }
}
