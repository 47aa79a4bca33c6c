namespace Broker.ZeroMq;

/// <summary>
/// A socket that sends messages with the extension methods of <see cref="Sending"/>. Only sockets of this library
/// implement this interface.
/// </summary>
public interface ISendingSocket
{
    /// <summary>
    /// Whether the socket would accept a small message now. May be read on any thread; the value may be out of date at
    /// once.
    /// </summary>
    bool HasRoom { get; }
}
