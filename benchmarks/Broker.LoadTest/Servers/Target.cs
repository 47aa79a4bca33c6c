using System.Diagnostics;
using Broker.LoadTest.Driver;
using Broker.LoadTest.Rows;

namespace Broker.LoadTest.Servers;

/// <summary>A running server for a row: its address and a meter for its CPU time.</summary>
internal sealed class Target(ServerAddress address, Process process, BufferPool buffers)
{
    private readonly ServerProcess? _server;

    public Target(ServerProcess server, BufferPool buffers)
        : this(server, server.Address, buffers)
    {
    }

    private Target(ServerProcess server, ServerAddress address, BufferPool buffers)
        : this(address, server.Process, buffers)
    {
        _server = server;
        MonitoringPage = new Uri($"http://127.0.0.1:{server.MonitoringPort}/varz");
    }

    public ServerProcess Server => _server ?? throw new InvalidOperationException("This program has not started the server.");

    public string Name => Server.Command.Name;

    /// <summary>The address for a separate process that connects.</summary>
    public ServerAddress Address => address;

    /// <summary>The address of the monitoring pages if the command enables them.</summary>
    public Uri MonitoringPage { get; init; } = new("http://127.0.0.1/varz");

    public CpuMeter Cpu { get; } = new(process);

    /// <summary>The address for subscribers if they are at the other end of a leaf link; otherwise null.</summary>
    private ServerAddress? Readers { get; init; }

    public Session OpenSession() => new(address, buffers, Readers);

    /// <summary>
    /// Returns the same server, a leaf node, with publishers at one end of its link and subscribers at the other one.
    /// </summary>
    /// <param name="inward">Whether the publishers are at the hub; otherwise the subscribers are.</param>
    public Target OverLink(bool inward)
    {
        ServerAddress hub = (Server.Hub ?? throw new InvalidOperationException("The server has joined no hub.")).Address;
        return inward
            ? new Target(Server, hub, buffers) { Readers = Server.Address }
            : new Target(Server, Server.Address, buffers) { Readers = hub };
    }

    /// <summary>Reads the meter at once; the times are <see cref="Stopwatch"/> ticks.</summary>
    public Measurement Finish(long messages, long from, long to) => new()
    {
        CpuSeconds = Cpu.Stop(),
        Messages = messages,
        Seconds = (to - from) / (double)Stopwatch.Frequency,
        ResidentBytes = Cpu.ResidentBytes,
    };
}
