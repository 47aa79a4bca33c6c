namespace Broker.Transport;

/// <summary>What was dropped or not sent.</summary>
/// <param name="Messages">How many messages, by the connection's <see cref="Connection.Framing"/>; one that was sent in part was not sent.</param>
/// <param name="Bytes">How many bytes.</param>
public readonly record struct OutboundCount(long Messages, long Bytes);
