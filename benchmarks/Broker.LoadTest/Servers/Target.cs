using System.Diagnostics;
using Broker.LoadTest.Driver;
using Broker.LoadTest.Rows;

namespace Broker.LoadTest.Servers;

/// <summary>A running server for a row: its address and a meter for its CPU time.</summary>
internal sealed class Target(ServerAddress address, Process process, BufferPool buffers)
{
    private readonly ServerProcess? _server;

    public Target(ServerProcess server, BufferPool buffers)
        : this(server.Address, server.Process, buffers)
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

    public Session OpenSession() => new(address, buffers);

    /// <summary>Reads the meter at once; the times are <see cref="Stopwatch"/> ticks.</summary>
    public Measurement Finish(long messages, long from, long to) => new()
    {
        CpuSeconds = Cpu.Stop(),
        Messages = messages,
        Seconds = (to - from) / (double)Stopwatch.Frequency,
        ResidentBytes = Cpu.ResidentBytes,
    };
}
