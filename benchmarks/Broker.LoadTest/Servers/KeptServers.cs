using Broker.LoadTest.Driver;

namespace Broker.LoadTest.Servers;

/// <summary>One process per server for the whole run.</summary>
internal sealed class KeptServers(BufferPool buffers) : IServerPool
{
    private readonly Dictionary<ServerCommand, ServerProcess> _running = [];

    public ServerProcess Acquire(ServerCommand command)
    {
        if (!_running.TryGetValue(command, out ServerProcess? server))
            _running[command] = server = ServerProcess.Start(command, buffers);
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
            server.Dispose();
        _running.Clear();
    }
}
