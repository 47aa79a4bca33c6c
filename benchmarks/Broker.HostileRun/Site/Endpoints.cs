using System.Net;
using System.Net.Sockets;

namespace Broker.HostileRun.Site;

/// <summary>The ports of the broker under attack, and what its attackers know of it.</summary>
internal sealed record Endpoints
{
    public required int Nats { get; init; }

    public required int Monitoring { get; init; }

    public required int WebSocket { get; init; }

    public required int Publishers { get; init; }

    public required int Subscribers { get; init; }

    public required int Requests { get; init; }

    public required int Pushers { get; init; }

    public required int Pullers { get; init; }

    /// <summary>The port of publishers that use CURVE.</summary>
    public required int Secured { get; init; }

    /// <summary>The public key of <see cref="Secured"/>, as Z85.</summary>
    public required string SecuredKey { get; init; }

    /// <summary>Chooses free ports.</summary>
    public static Endpoints Choose(string securedKey)
    {
        // All are open at once, so that no two are the same.
        TcpListener[] probes = [.. Enumerable.Range(0, 9).Select(_ => new TcpListener(IPAddress.Loopback, 0))];
        try
        {
            int[] ports = [.. probes.Select(Open)];
            return new Endpoints
            {
                Nats = ports[0],
                Monitoring = ports[1],
                WebSocket = ports[2],
                Publishers = ports[3],
                Subscribers = ports[4],
                Requests = ports[5],
                Pushers = ports[6],
                Pullers = ports[7],
                Secured = ports[8],
                SecuredKey = securedKey,
            };
        }
        finally
        {
            Array.ForEach(probes, probe => probe.Dispose());
        }
    }

    private static int Open(TcpListener probe)
    {
        probe.Start();
        return ((IPEndPoint)probe.LocalEndpoint).Port;
    }
}
