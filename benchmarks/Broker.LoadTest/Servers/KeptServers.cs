using Broker.LoadTest.Driver;

namespace Broker.LoadTest.Servers;

/// <summary>One process per server for the whole run.</summary>
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
        // It stays up: the next row finds it warm.
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
