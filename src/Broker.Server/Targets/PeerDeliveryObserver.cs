namespace Broker.Server;

/// <summary>Tells the handler of a peer when a message to very many subscribers has been delivered.</summary>
internal sealed class PeerDeliveryObserver(IRemoteTargetHandler handler) : IDeliveryObserver
{
    // The peer has been told who has interest, and knows nothing of a single message.
    public void OnNotDelivered(ReadOnlySpan<byte> reply)
    {
    }

    public void OnDelivered(bool sawSlowSubscribers) => handler.OnDelivered();

    public void OnDeliveryFailed() => handler.OnDelivered();
}
