namespace Broker.Client.Requests;

/// <summary>The answer to a request. Both arrays are the receiver's own.</summary>
/// <param name="Headers">The header block, to be read with <see cref="Broker.Protocol.Headers.HeaderBlock"/>; empty when there is none.</param>
/// <param name="Body">What follows the headers.</param>
public sealed record ReplyMessage(byte[] Headers, byte[] Body);
