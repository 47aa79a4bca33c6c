using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using Broker.Cryptography;
using Broker.ZeroMq;

namespace Broker.HostileRun.Attacks.Kinds;

/// <summary>
/// Bursts of a thousand valid HELLOs of CURVE, from somebody who knows only the public key of the server.
/// </summary>
internal static class CurveKind
{
    private const int Burst = 1_000;
    private const int HelloSize = 202;

    // A machine that is busy otherwise accepts slowly. Then the burst is smaller.
    private static readonly TimeSpan ConnectLimit = TimeSpan.FromSeconds(5);

    public static async Task SendHellosAsync(Attacker attacker, CancellationToken cancellationToken)
    {
        byte[] hello = await RecordHelloAsync(attacker.At.SecuredKey, cancellationToken);
        var connections = new List<HostileConnection>();
        try
        {
            for (var watch = Stopwatch.StartNew(); connections.Count < Burst && watch.Elapsed < ConnectLimit;)
            {
                HostileConnection connection = await attacker.ConnectAsync(attacker.At.Secured, cancellationToken);
                connections.Add(connection);
                await connection.SendAsync(Zmtp.Greeting("CURVE"), cancellationToken);
            }

            // The server has sent its greetings before all HELLOs come at once.
            await Task.WhenAll(connections.Select(connection => connection.SkipAsync(Zmtp.GreetingSize, cancellationToken)));
            await Task.WhenAll(connections.Select(async connection =>
            {
                await connection.SendAsync(hello, cancellationToken);
                attacker.Count();
            }));
            await Task.WhenAll(connections.Select(connection => connection.HoldAsync(TimeSpan.FromSeconds(1), cancellationToken)));
        }
        finally
        {
            connections.ForEach(connection => connection.Dispose());
        }
    }

    /// <summary>
    /// Records what one of our own sockets sends to a server with this key. Each recording has another key.
    /// </summary>
    private static async Task<byte[]> RecordHelloAsync(string serverKey, CancellationToken cancellationToken)
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        using var socket = new PublisherSocket(new PublisherSocketOptions
        {
            Security = ZeroMqSecurity.CurveClient(CurveKeyPair.Generate(new CurveCryptography()), CurveKey.Parse(serverKey)),
            Linger = TimeSpan.Zero,
        });
        socket.Connect($"tcp://{listener.LocalEndpoint}");
        using Socket accepted = await listener.AcceptSocketAsync(cancellationToken);
        using var stream = new NetworkStream(accepted);
        await stream.WriteAsync(Zmtp.Greeting("CURVE", asServer: true), cancellationToken);
        byte[] heard = new byte[Zmtp.GreetingSize + HelloSize];
        await stream.ReadExactlyAsync(heard, cancellationToken);
        return heard[Zmtp.GreetingSize..];
    }
}
