namespace NetMQ;

/// <summary>Serves sockets on one thread.</summary>
public interface INetMQPoller : IDisposable
{
    /// <summary>Whether the poller serves its sockets.</summary>
    bool IsRunning { get; }

    /// <summary>Serves the sockets on the calling thread until the poller is stopped.</summary>
    void Run();

    /// <summary>Serves the sockets on a new thread.</summary>
    void RunAsync();

    /// <summary>Stops the poller if it runs, and waits until it has stopped.</summary>
    void Stop();

    /// <summary>Stops the poller, and does not wait.</summary>
    void StopAsync();

    /// <summary>Adds a socket.</summary>
    void Add(ISocketPollable socket);

    /// <summary>Removes a socket, which stays open.</summary>
    void Remove(ISocketPollable socket);

    /// <summary>Removes a socket and disposes it.</summary>
    void RemoveAndDispose<T>(T socket)
        where T : ISocketPollable, IDisposable;
}
