namespace Broker.Server;

/// <summary>A user that only peer servers can authenticate as.</summary>
/// <param name="User">The user. Its permissions are the subjects that the peer may publish and subscribe to.</param>
/// <param name="Account">The account in which the peer takes part; null for the global account.</param>
public sealed record PeerUser(User User, string? Account = null);
