namespace Broker.Client;

/// <summary>
/// Handles a message, on the connection's event loop and in the order of arrival. A handler must not block, because the
/// loop serves no other message and no other connection meanwhile. An exception is reported to
/// <see cref="ClientOptions.OnFault"/> and has no other effect. A lambda can be static:
/// <see cref="Subscription.State"/> carries the state that it needs.
/// </summary>
public delegate void MessageHandler(in MessageView message);
