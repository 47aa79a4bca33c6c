namespace Broker.LoadTest.Servers;

/// <summary>Provides servers for measurements: either one process for all, or a new process for each.</summary>
internal interface IServerPool : IDisposable
{
    /// <summary>
    /// Returns a server. Throws <see cref="Driver.DriverException"/> if it does not start or has ended.
    /// </summary>
    ServerProcess Acquire(ServerCommand command);

    void Release(ServerProcess server);
}
