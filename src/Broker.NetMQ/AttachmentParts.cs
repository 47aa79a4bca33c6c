using Broker.ZeroMq;

namespace Broker.NetMQ;

/// <summary>The parts that an attachment of one socket type consists of.</summary>
/// <param name="Socket">The socket that leads to the route.</param>
/// <param name="Incoming">The direction from the NetMQ socket to the route, if there is one.</param>
/// <param name="Outgoing">The direction from the route to the NetMQ socket, if there is one.</param>
/// <param name="PassLast">Passes on the message that is left when the incoming direction was stopped.</param>
/// <param name="Exchange">The order of requests and replies of a REQ or REP socket.</param>
internal sealed record AttachmentParts(
    MessageSocket Socket, Pump? Incoming, Pump? Outgoing, Func<CancellationToken, Task> PassLast, Exchange? Exchange);
