namespace Broker.Client;

/// <summary>
/// Handles a value on the connection's loop, with its message, which is valid until the method returns. The rules of
/// <see cref="MessageHandler"/> apply.
/// </summary>
public delegate void ValueHandler<in T>(T value, in MessageView message);
