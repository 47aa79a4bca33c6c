namespace Broker.ZeroMq;

/// <summary>
/// A mandatory <see cref="RouterSocket"/> has no peer with the routing id in the message's first frame, or the message
/// has no frame after the routing id (libzmq: <c>EHOSTUNREACH</c>).
/// </summary>
public sealed class ZeroMqUnroutableException(string message) : InvalidOperationException(message);
