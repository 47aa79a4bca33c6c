namespace Broker.ZeroMq;

/// <summary>
/// A mandatory <see cref="RouterSocket"/> has no peer of the routing id in the message's first frame, or the message has nothing but that
/// frame (libzmq: <c>EHOSTUNREACH</c>).
/// </summary>
public sealed class ZeroMqUnroutableException(string message) : InvalidOperationException(message);
