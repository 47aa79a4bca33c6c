using System.Diagnostics;
using System.Net;
using Broker.LoadTest.Driver;
using Broker.LoadTest.Servers;

namespace Broker.LoadTest.Rows.Footprints;

/// <summary>Connections that have shaken hands and say nothing.</summary>
internal sealed class IdleConnections(string name, int count) : FootprintRow(name, $"{count} idle connections")
{
    private const int PerAddress = 5_000;
    private const int First = 10;
    private const int Spare = 200;

    public override Measurement Measure(Target target, long messages)
    {
        OpenFiles.Require(target.Server, count + Spare);
        OpenFiles.Require(null, count + Spare);

        // One buffer for all: nothing arrives after the handshake that anybody wants to read at the same time.
        byte[] buffer = new byte[BufferPool.BufferSize];
        var connections = new List<RawConnection>(count);
        try
        {
            // The code of a handshake is loaded with the first few, and is not what a connection costs.
            for (int i = 0; i < First; i++)
            {
                RawConnection.Dial(target.Server.Address, buffer).Dispose();
            }

            long before = target.Cpu.ReadResidentBytes();
            long from = Stopwatch.GetTimestamp();
            for (int i = 0; i < count; i++)
            {
                connections.Add(RawConnection.Dial(target.Server.Address, buffer, SourceAddress(i)));
            }

            long to = Stopwatch.GetTimestamp();
            IdleCost idle = Idle(target);
            long after = target.Cpu.ReadResidentBytes();
            target.Cpu.Start();
            Measurement measurement = target.Finish(count, from, to);
            foreach (RawConnection connection in connections)
            {
                connection.Fence();
            }

            return measurement with { Idle = idle, Footprint = new Footprint(count, before, after) };
        }
        finally
        {
            foreach (RawConnection connection in connections)
            {
                connection.Dispose();
            }
        }
    }

    // Linux answers for all of 127.0.0.0/8; elsewhere 10,000 ports of one address have to do.
    private static IPAddress? SourceAddress(int index) =>
        OperatingSystem.IsLinux() ? new IPAddress([127, 0, 0, (byte)(2 + (index / PerAddress))]) : null;
}
