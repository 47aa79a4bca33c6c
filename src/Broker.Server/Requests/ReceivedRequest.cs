using Broker.Transport;

namespace Broker.Server;

/// <summary>A system request that waits for its answer.</summary>
/// <param name="Scope">What the request is about.</param>
/// <param name="Kind">
/// The last token of the subject, for example <c>CONNZ</c>. Of a request about streams, all tokens after the prefix.
/// </param>
/// <param name="Account">
/// The name of the account that the request is about; null for a request about the server.
/// </param>
/// <param name="ReplyAccount">The account that the reply is published in.</param>
/// <param name="Reply">The reply subject.</param>
/// <param name="Body">The body of the request, without headers.</param>
/// <param name="Requester">The client that sent the request; null if the server itself sent it.</param>
/// <param name="Loop">The loop on which the request was received.</param>
internal sealed record ReceivedRequest(
    RequestScope Scope,
    string Kind,
    string? Account,
    Account ReplyAccount,
    byte[] Reply,
    byte[] Body,
    ClientSession? Requester,
    EventLoop Loop);
