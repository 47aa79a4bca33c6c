namespace Broker.ZeroMq.Queues;

/// <summary>Where the messages go that threads have sent. On the loop, or under the gate of the <see cref="SendQueue"/> where that has one.</summary>
internal interface IBatchSender
{
    /// <summary>Gives whole messages to peers, from the front on, as many as there is room for.</summary>
    /// <param name="messages">The messages, encoded, one behind the other.</param>
    /// <param name="count">How many they are.</param>
    /// <param name="sent">How many were taken.</param>
    /// <returns>
    /// Their size. When it is not all, there is no room, and <see cref="SendQueue.Resume"/> is called when there is some.
    /// </returns>
    int Send(ReadOnlySpan<byte> messages, int count, out int sent);

    /// <summary>There is no more for now: what was taken is to leave.</summary>
    void Flush()
    {
    }
}
