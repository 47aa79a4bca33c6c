namespace Broker.Server;

/// <summary>
/// The session of a publisher. It handles no further operation of the client while a message of the client is still
/// being delivered. All members are called on the publisher's loop.
/// </summary>
internal interface IDeliveryObserver
{
    /// <summary>No subscriber has received a message that was delivered in several shares.</summary>
    /// <param name="reply">The reply subject of the message; not empty.</param>
    void OnNotDelivered(ReadOnlySpan<byte> reply);

    /// <summary>All messages of the publisher have been delivered.</summary>
    /// <param name="sawSlowSubscribers">Whether a later share was written to a subscriber that reads too
    /// slowly.</param>
    void OnDelivered(bool sawSlowSubscribers);

    /// <summary>The delivery ended with an exception.</summary>
    void OnDeliveryFailed();
}
