namespace Broker.Client;

/// <summary>
/// Handles a value, together with the message that contained it, on the connection's loop. The message is valid until
/// the method returns. The rules of <see cref="MessageHandler"/> apply.
/// </summary>
public delegate void ValueHandler<in T>(T value, in MessageView message);
