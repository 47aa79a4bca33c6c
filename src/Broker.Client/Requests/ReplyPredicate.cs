namespace Broker.Client;

/// <summary>
/// Tests a reply. It is called on the connection's event loop and must not block. The view is valid until the method
/// returns.
/// </summary>
public delegate bool ReplyPredicate(in MessageView reply);
