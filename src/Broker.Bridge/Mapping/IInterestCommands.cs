namespace Broker.Bridge.Mapping;

/// <summary>What an <see cref="InterestSet"/> asks of the NATS connection; to be sent in the order of the calls.</summary>
/// <remarks>Called during the set's own methods: implementations queue, and do not call the set back.</remarks>
internal interface IInterestCommands
{
    /// <summary>Subscribe to <paramref name="filter"/>, which is valid during the call.</summary>
    void Subscribe(long id, ReadOnlySpan<byte> filter);

    /// <summary>End a subscription; messages of it may still arrive and are not to be delivered.</summary>
    void Unsubscribe(long id);

    /// <summary>Send a PING; call <see cref="InterestSet.BarrierReached"/> when its PONG has come.</summary>
    void Barrier(long token);
}
