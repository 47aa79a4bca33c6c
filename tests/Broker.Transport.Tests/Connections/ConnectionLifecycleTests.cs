namespace Broker.Transport.Tests;

public sealed class ConnectionLifecycleTests
{
    // The table of docs/decisions/010-pausing.md.
    private static readonly HashSet<(ConnectionState From, ConnectionState To)> Allowed =
    [
        (ConnectionState.Opening, ConnectionState.Open),
        (ConnectionState.Open, ConnectionState.PeerEnded),
        (ConnectionState.Open, ConnectionState.Flushing),
        (ConnectionState.PeerEnded, ConnectionState.FlushingAfterPeer),
        (ConnectionState.Flushing, ConnectionState.FlushingAfterPeer),
        (ConnectionState.Flushing, ConnectionState.HalfClosed),
        (ConnectionState.Open, ConnectionState.Closed),
        (ConnectionState.PeerEnded, ConnectionState.Closed),
        (ConnectionState.Flushing, ConnectionState.Closed),
        (ConnectionState.FlushingAfterPeer, ConnectionState.Closed),
        (ConnectionState.HalfClosed, ConnectionState.Closed),
    ];

    [Fact]
    public void Only_the_documented_transitions_are_allowed()
    {
        foreach (ConnectionState from in Enum.GetValues<ConnectionState>())
        {
            foreach (ConnectionState to in Enum.GetValues<ConnectionState>())
            {
                Assert.Equal(Allowed.Contains((from, to)), ConnectionLifecycle.IsAllowed(from, to));
            }
        }
    }

    [Fact]
    public void A_close_after_the_peers_end_flushes_without_waiting_for_the_peer()
    {
        var lifecycle = default(ConnectionLifecycle);
        Assert.True(lifecycle.IsOpen);
        Assert.False(lifecycle.IsAnnounced);

        lifecycle.Open();
        lifecycle.EndPeer();
        Assert.True(lifecycle.IsOpen);

        lifecycle.BeginFlushing();
        Assert.Equal(ConnectionState.FlushingAfterPeer, lifecycle.State);
        Assert.True(lifecycle.IsLingering);
        Assert.True(lifecycle.IsFlushing);
        Assert.False(lifecycle.IsOpen);
    }

    [Fact]
    public void The_first_reason_stays_and_a_connection_closes_once()
    {
        var lifecycle = default(ConnectionLifecycle);
        lifecycle.Open();
        lifecycle.SetReason(CloseReason.Local, null);
        lifecycle.BeginFlushing();
        lifecycle.SetReason(CloseReason.WriteTimeout, new TimeoutException());

        Assert.True(lifecycle.TryClose());
        Assert.False(lifecycle.TryClose());
        Assert.Equal(CloseReason.Local, lifecycle.Reason);
        Assert.Null(lifecycle.Error);
    }
}
