namespace Broker.ZeroMq;

/// <summary>A socket that receives: what is in <see cref="Receiving"/> is for it. Implemented by sockets of this library only.</summary>
public interface IReceivingSocket
{
    /// <summary>Whether there is a message now. Any thread, a moment's truth.</summary>
    bool HasMessages { get; }
}
