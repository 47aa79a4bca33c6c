using System.Text;
using Broker.HostileRun.Site;

namespace Broker.HostileRun.Attacks.Kinds;

/// <summary>Clients of the monitoring port and of the WebSocket port.</summary>
internal static class HttpKinds
{
    private const string Operations = "SUB > 1\r\nUNSUB 1\r\nPUB garbage 3\r\nab";
    private const string Host = " HTTP/1.1\r\nHost: broker\r\n";

    /// <summary>Sends nothing, or a part of a request, and stays.</summary>
    public static async Task StaySilentAsync(Attacker attacker, CancellationToken cancellationToken)
    {
        using HostileConnection connection = await attacker.ConnectAsync(attacker.At.Monitoring, cancellationToken);
        await connection.SendAsync(Garbage.Any("", "", "G", "GET /varz", "GET /varz" + Host, "GET /varz" + Host + "\r\n"), cancellationToken);
        attacker.Count();
        await connection.HoldAsync(TimeSpan.FromSeconds(10), cancellationToken);
    }

    /// <summary>Asks for what does not exist, or in a way that is not HTTP.</summary>
    public static async Task SendMonitoringGarbageAsync(Attacker attacker, CancellationToken cancellationToken)
    {
        using HostileConnection connection = await attacker.ConnectAsync(attacker.At.Monitoring, cancellationToken);
        byte[] request = Random.Shared.Next(7) switch
        {
            0 => Garbage.Bytes(1000),
            1 => Encoding.ASCII.GetBytes("GET /connz?subs=detail&limit=1000000000&offset=-1" + Host + "\r\n"),
            2 => Encoding.ASCII.GetBytes("GET /" + new string('a', 100_000) + Host + "\r\n"),
            3 => Encoding.ASCII.GetBytes("GET /varz" + Host + "X: " + new string('b', 100_000) + "\r\n\r\n"),
            4 => Encoding.ASCII.GetBytes("POST /varz" + Host + "Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n"),
            5 => Encoding.ASCII.GetBytes("GET /../../etc/passwd HTTP/9.9\r\n\r\n"),
            _ => Encoding.ASCII.GetBytes("GET /subsz?subs=1&test=" + Uri.EscapeDataString("<script>\r\n") + Host + "\r\n"),
        };
        await connection.SendAsync(request, cancellationToken);
        attacker.Count();
        await connection.HoldAsync(Garbage.Between(0, 1), cancellationToken);
    }

    /// <summary>Sends something else than an upgrade, or frames that are none.</summary>
    public static async Task SendWebSocketGarbageAsync(Attacker attacker, CancellationToken cancellationToken)
    {
        using HostileConnection connection = await attacker.ConnectAsync(attacker.At.WebSocket, cancellationToken);
        switch (Random.Shared.Next(4))
        {
            case 0:
                await connection.SendAsync(Garbage.Bytes(500), cancellationToken);
                break;
            case 1:
                await connection.SendAsync(WebSocketBytes.Upgrade[..Random.Shared.Next(WebSocketBytes.Upgrade.Length)], cancellationToken);
                break;
            default:
                await connection.SendAsync(WebSocketBytes.Upgrade, cancellationToken);
                byte[] login = Encoding.ASCII.GetBytes(Nats.Connect(Names.Attacker, Names.AttackerPassword));
                await connection.SendAsync(WebSocketBytes.Frame(WebSocketBytes.Binary, login), cancellationToken);
                for (int i = Random.Shared.Next(1, 10); i > 0; i--)
                {
                    await connection.SendAsync(Frame(), cancellationToken);
                }

                break;
        }

        attacker.Count();
        await connection.HoldAsync(Garbage.Between(0, 3), cancellationToken);
    }

    private static byte[] Frame() => Random.Shared.Next(6) switch
    {
        0 => Garbage.Bytes(100),
        1 => WebSocketBytes.Frame((byte)Random.Shared.Next(256), Garbage.Bytes(100)),
        2 => WebSocketBytes.Frame(WebSocketBytes.Binary, [], ulong.MaxValue >> Random.Shared.Next(40)),
        3 => WebSocketBytes.Frame(WebSocketBytes.Binary, Garbage.Bytes(100)),
        4 => WebSocketBytes.Frame(0x89, Garbage.Bytes(125), 126),
        _ => WebSocketBytes.Frame(WebSocketBytes.Binary, Encoding.ASCII.GetBytes(Operations)),
    };
}
