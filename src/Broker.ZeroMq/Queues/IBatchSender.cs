namespace Broker.ZeroMq;

/// <summary>
/// Sends queued messages to the peers. Called on the loop, or under the gate of the <see cref="SendQueue"/> if the
/// queue has a gate.
/// </summary>
internal interface IBatchSender
{
    /// <summary>Passes whole messages to the peers, in order, as many as there is room for.</summary>
    /// <param name="messages">The encoded messages, one after the other.</param>
    /// <param name="count">The number of messages.</param>
    /// <param name="sent">The number of messages that were taken.</param>
    /// <returns>
    /// The size of the messages that were taken, in bytes. If not all messages were taken, there is no more room, and
    /// <see cref="SendQueue.Resume"/> is called when there is room again.
    /// </returns>
    int Send(ReadOnlySpan<byte> messages, int count, out int sent);

    /// <summary>Sends the buffered messages, because no more messages follow for now.</summary>
    void Flush()
    {
    }
}
