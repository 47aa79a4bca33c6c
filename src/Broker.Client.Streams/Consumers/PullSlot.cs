namespace Broker.Client.Streams;

/// <summary>
/// A subscription for the messages of one request at a time. With several open requests, the server gives each of them
/// a message in turn, and a message does not say which request it belongs to. Its subscription does. Used under the
/// consumption's lock.
/// </summary>
/// <param name="owner">The consumption.</param>
/// <param name="inbox">The reply subject of the requests.</param>
internal sealed class PullSlot(Consumption owner, byte[] inbox)
{
    internal ReadOnlySpan<byte> Inbox => inbox;

    internal Subscription Subscription { get; set; } = null!;

    /// <summary>The number of messages that the open request may still bring. 0 if no request is open.</summary>
    internal long Messages { get; set; }

    /// <summary>The size of the messages that the open request may still bring.</summary>
    internal long Bytes { get; set; }

    /// <summary>Whether the request has brought a message.</summary>
    internal bool IsServed { get; set; }

    // Called on the loop.
    internal void Receive(in MessageView view) => owner.Receive(this, in view);
}
