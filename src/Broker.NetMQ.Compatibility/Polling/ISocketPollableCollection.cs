namespace NetMQ;

/// <summary>A collection of sockets that are polled.</summary>
[Obsolete("Use INetMQPoller.")]
public interface ISocketPollableCollection
{
    /// <summary>Adds a socket.</summary>
    void Add(ISocketPollable socket);

    /// <summary>Removes a socket, which stays open.</summary>
    void Remove(ISocketPollable socket);

    /// <summary>Removes a socket and disposes it.</summary>
    void RemoveAndDispose<T>(T socket)
        where T : ISocketPollable, IDisposable;
}
