namespace Broker.ZeroMq;

/// <summary>A socket that sends: what is in <see cref="Sending"/> is for it. Implemented by sockets of this library only.</summary>
public interface ISendingSocket
{
    /// <summary>Whether a small message would be taken now. Any thread, a moment's truth.</summary>
    bool HasRoom { get; }
}
