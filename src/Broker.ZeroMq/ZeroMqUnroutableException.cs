namespace Broker.ZeroMq;

/// <summary>
/// A mandatory <see cref="RouterSocket"/> has no peer with the routing id in the first frame, or the message has no
/// other frame (libzmq: <c>EHOSTUNREACH</c>).
/// </summary>
public sealed class ZeroMqUnroutableException(string message) : InvalidOperationException(message);
