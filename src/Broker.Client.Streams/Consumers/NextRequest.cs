namespace Broker.Client.Streams;

/// <summary>The body of a request for one message, which a reader of one message after the other uses again.</summary>
/// <param name="Expires">How long the server waits.</param>
/// <param name="Body">The body.</param>
internal sealed record NextRequest(TimeSpan Expires, byte[] Body);
