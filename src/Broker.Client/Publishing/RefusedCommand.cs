namespace Broker.Client;

/// <summary>A buffered message that the next server does not accept.</summary>
/// <param name="Request">The number of the request that it belongs to. 0 if it is not a request.</param>
/// <param name="Payload">The size of its headers and body, in bytes.</param>
/// <param name="Status">The reason.</param>
internal readonly record struct RefusedCommand(long Request, int Payload, PublishStatus Status);
