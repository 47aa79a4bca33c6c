using Broker.Client.Subscriptions;

namespace Broker.Client.Encoded;

/// <summary>Takes a value on the connection's loop, with the message that it came in, which is borrowed until the return; as <see cref="MessageHandler"/> else.</summary>
public delegate void ValueHandler<in T>(T value, in MessageView message);
