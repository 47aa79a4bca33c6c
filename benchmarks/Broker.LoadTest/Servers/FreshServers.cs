using Broker.LoadTest.Driver;

namespace Broker.LoadTest.Servers;

/// <summary>A pool that starts a new process for every measurement.</summary>
internal sealed class FreshServers(DriverResources resources) : IServerPool
{
    public ServerProcess Acquire(ServerCommand command) => ServerProcess.Start(command, resources);

    public void Release(ServerProcess server) => server.Dispose();

    public void Dispose()
    {
        // Every server has been returned already.
    }
}
