namespace Broker.ZeroMq;

/// <summary>
/// A socket that receives messages with the extension methods of <see cref="Receiving"/>. Only sockets of this library
/// implement this interface.
/// </summary>
public interface IReceivingSocket
{
    /// <summary>
    /// Whether a message is available now. May be read on any thread; the value may be out of date at once.
    /// </summary>
    bool HasMessages { get; }
}
