namespace Broker.Bridge;

/// <summary>
/// The commands of an <see cref="InterestSet"/> to the NATS connection. They must be sent in the order of the calls.
/// </summary>
/// <remarks>
/// The set calls these methods during its own methods. Implementations queue the commands and must not call the set.
/// </remarks>
internal interface IInterestCommands
{
    /// <summary>Subscribes to <paramref name="filter"/>, which is valid during the call only.</summary>
    void Subscribe(long id, ReadOnlySpan<byte> filter);

    /// <summary>Ends a subscription. Messages of it may still arrive and must not be delivered.</summary>
    void Unsubscribe(long id);

    /// <summary>
    /// Sends a PING. When its PONG arrives, <see cref="InterestSet.BarrierReached"/> must be called with this token.
    /// </summary>
    void Barrier(long token);
}
