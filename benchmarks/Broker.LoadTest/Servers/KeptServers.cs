using Broker.LoadTest.Driver;

namespace Broker.LoadTest.Servers;

/// <summary>A pool with one process per server for the whole run.</summary>
internal sealed class KeptServers(DriverResources resources) : IServerPool
{
    private readonly Dictionary<string, ServerProcess> _running = new(StringComparer.Ordinal);

    public ServerProcess Acquire(ServerCommand command)
    {
        if (!_running.TryGetValue(command.Line, out ServerProcess? server))
        {
            _running[command.Line] = server = ServerProcess.Start(command, resources);
        }

        server.ThrowIfEnded();
        return server;
    }

    public void Release(ServerProcess server)
    {
        // The process stays alive, so it is warm for the next row.
    }

    public void Dispose()
    {
        foreach (ServerProcess server in _running.Values)
        {
            server.Dispose();
        }

        _running.Clear();
    }
}
