namespace Broker.Transport;

/// <summary>The numbers of messages and bytes that were dropped or not sent.</summary>
/// <param name="Messages">
/// The number of messages, as the connection's <see cref="Connection.Framing"/> divides them. A message that was sent
/// in part counts as not sent.
/// </param>
/// <param name="Bytes">The number of bytes.</param>
public readonly record struct OutboundCount(long Messages, long Bytes);
