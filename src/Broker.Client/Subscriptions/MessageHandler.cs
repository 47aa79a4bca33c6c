namespace Broker.Client.Subscriptions;

/// <summary>
/// Takes a message, on the connection's event loop and in the order of arrival. It must not block: no other message, and no
/// other connection of the loop, is served meanwhile. An exception is reported to
/// <see cref="ClientOptions.OnFault"/> and harms nothing else. Lambdas can be static:
/// <see cref="Subscription.State"/> carries what they need.
/// </summary>
public delegate void MessageHandler(in MessageView message);
