using Broker.Transport;

namespace Broker.Server;

/// <summary>
/// Slows down a client that publishes faster than a subscriber reads. While more than half of the subscriber's queue
/// (<see cref="BrokerServerOptions.MaxPending"/>) is full, the server handles at most <see cref="BatchBytes"/> of the
/// publisher, and then reads nothing from the publisher for <see cref="Delay"/>. After a message that is larger than
/// <see cref="BatchBytes"/>, the delay is longer. Runs on the publisher's loop, which is never blocked.
/// </summary>
/// <remarks>
/// <para>A publisher that is slowed down publishes at most 6.5 MB/s, if its messages are not larger than eight times
/// <see cref="BatchBytes"/>. A client that publishes less keeps its rate, but some of its messages wait for
/// <see cref="Delay"/>.</para>
/// <para>If a subscriber reads nothing, the second half of its queue is full after about 5 s with the default limit.
/// Then the server closes the subscriber. Until then, the other subscribers of the publisher also receive its messages
/// at the lower rate.</para>
/// </remarks>
internal sealed class PublisherStall(Connection connection)
{
    /// <summary>The number of received bytes that are handled between two delays.</summary>
    internal const int BatchBytes = 32 * 1024;

    /// <summary>The time in which nothing is read from the publisher.</summary>
    internal static readonly TimeSpan Delay = TimeSpan.FromMilliseconds(5);

    private const int MaxDelays = 8;

    private int _handled;

    /// <summary>Whether the last batch contained a message to a subscriber that reads too slowly.</summary>
    internal bool IsActive { get; private set; }

    /// <summary>The number of delays so far. Any thread may read it.</summary>
    internal long Count { get; private set; }

    /// <summary>
    /// Called when the client has published <paramref name="bytes"/> bytes, with messages to a subscriber that reads
    /// too slowly.
    /// </summary>
    /// <returns>Whether the client is delayed now.</returns>
    internal bool Continue(int bytes)
    {
        IsActive = true;
        _handled += bytes;
        if (_handled < BatchBytes)
        {
            return false;
        }

        int delays = Math.Min(_handled / BatchBytes, MaxDelays);
        _handled = 0;
        Count++;
        connection.DelayReceiving(delays * Delay);
        return true;
    }

    /// <summary>Called when the last batch contained no message to a subscriber that reads too slowly.</summary>
    internal void End()
    {
        IsActive = false;
        _handled = 0;
    }
}
