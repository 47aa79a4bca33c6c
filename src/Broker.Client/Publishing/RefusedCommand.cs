namespace Broker.Client;

/// <summary>A buffered message that the next server does not accept.</summary>
/// <param name="Request">The number of the request. 0 if the message is not a request.</param>
/// <param name="Payload">The size of the message's headers and body, in bytes.</param>
/// <param name="Status">The reason why the server does not accept the message.</param>
internal readonly record struct RefusedCommand(long Request, int Payload, PublishStatus Status);
