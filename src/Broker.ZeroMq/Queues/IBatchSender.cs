namespace Broker.ZeroMq;

/// <summary>
/// Sends queued messages to the peers. It is called on the loop, or under the gate of the <see cref="SendQueue"/> if
/// that has one.
/// </summary>
internal interface IBatchSender
{
    /// <summary>Passes whole messages to the peers, in order, as many as there is room for.</summary>
    /// <param name="messages">The encoded messages, one after the other.</param>
    /// <param name="count">The number of messages.</param>
    /// <param name="sent">The number of messages that were taken.</param>
    /// <returns>
    /// The size of the messages that were taken. If that is not all, there is no room, and <see
    /// cref="SendQueue.Resume"/> is called when there is some.
    /// </returns>
    int Send(ReadOnlySpan<byte> messages, int count, out int sent);

    /// <summary>No more messages follow for now, so the buffered ones must be sent.</summary>
    void Flush()
    {
    }
}
