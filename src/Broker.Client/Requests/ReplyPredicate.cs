using Broker.Client.Subscriptions;

namespace Broker.Client.Requests;

/// <summary>Looks at an answer, on the connection's event loop, where it must not block. The view is borrowed until the return.</summary>
public delegate bool ReplyPredicate(in MessageView answer);
