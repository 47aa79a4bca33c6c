namespace Broker.Client.Streams;

/// <summary>A message of a push consumer, or an event between its messages.</summary>
/// <param name="Kind">Which of them it is.</param>
/// <param name="Pending">The number of messages that are not delivered yet, for a message and for
/// <see cref="PushedKind.Started"/>.</param>
/// <param name="Message">The message.</param>
/// <param name="Place">The place of the message.</param>
internal readonly record struct PushedItem(PushedKind Kind, ulong Pending = 0, Message Message = default, PushedPlace Place = default);
