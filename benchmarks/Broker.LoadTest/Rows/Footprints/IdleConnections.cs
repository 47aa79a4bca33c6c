using System.Diagnostics;
using System.Net;
using Broker.LoadTest.Driver;
using Broker.LoadTest.Servers;

namespace Broker.LoadTest.Rows.Footprints;

/// <summary>Connections that send nothing after the handshake.</summary>
internal sealed class IdleConnections(string name, int count) : FootprintRow(name, $"{count} idle connections")
{
    private const int PerAddress = 5_000;
    private const int First = 10;
    private const int Spare = 200;

    public override Measurement Measure(Target target, long messages)
    {
        OpenFiles.Require(target.Server, count + Spare);
        OpenFiles.Require(null, count + Spare);

        // All connections share one buffer, because no two of them read at the same time.
        byte[] buffer = new byte[BufferPool.BufferSize];
        var connections = new List<RawConnection>(count);
        try
        {
            // The first handshakes load code, which is not a cost of a connection.
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

    // Linux has all addresses of 127.0.0.0/8. Other systems have one, whose ports suffice for 10,000 connections.
    private static IPAddress? SourceAddress(int index)
        => OperatingSystem.IsLinux() ? new IPAddress([127, 0, 0, (byte)(2 + (index / PerAddress))]) : null;
}
