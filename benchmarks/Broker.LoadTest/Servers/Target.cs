using System.Diagnostics;
using Broker.LoadTest.Driver;
using Broker.LoadTest.Rows;

namespace Broker.LoadTest.Servers;

/// <summary>A running server as a row sees it: somewhere to dial, and a meter on its CPU.</summary>
internal sealed class Target(ServerProcess server, BufferPool buffers)
{
    public ServerProcess Server => server;

    public string Name => server.Command.Name;

    public CpuMeter Cpu { get; } = new(server.Process);

    public Session OpenSession() => new(server.Address, buffers);

    /// <summary>Reads the meter at once; the times are <see cref="Stopwatch"/> ticks.</summary>
    public Measurement Finish(long messages, long from, long to) => new()
    {
        CpuSeconds = Cpu.Stop(),
        Messages = messages,
        Seconds = (to - from) / (double)Stopwatch.Frequency,
        ResidentBytes = Cpu.ResidentBytes,
    };
}
