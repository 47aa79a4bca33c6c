namespace Broker.Client;

/// <summary>
/// Tests a reply, on the connection's event loop, where it must not block. The view is valid until the method returns.
/// </summary>
public delegate bool ReplyPredicate(in MessageView reply);
