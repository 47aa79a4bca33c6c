namespace Broker.Server;

/// <summary>The delivery target of a peer server.</summary>
internal abstract class PeerTarget : DeliveryTarget
{
    /// <summary>Whether messages and interest pass between two peers.</summary>
    internal abstract bool Exchanges(PeerTarget other);
}
