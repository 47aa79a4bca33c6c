using Broker.HostileRun.Site;

namespace Broker.HostileRun.Attacks.Kinds;

/// <summary>Clients that never complete a handshake of NATS or ZeroMQ.</summary>
internal static class HandshakeKinds
{
    public static async Task StopZeroMqAsync(Attacker attacker, CancellationToken cancellationToken)
    {
        Endpoints at = attacker.At;
        byte[] whole = Zmtp.Handshake(Garbage.Any("SUB", "PUSH", "PULL", "DEALER", "PUB"));
        using HostileConnection connection = await attacker.ConnectAsync(
            Garbage.Any(at.Publishers, at.Subscribers, at.Requests, at.Pushers, at.Pullers), cancellationToken);
        await connection.SendAsync(whole.AsMemory(0, Random.Shared.Next(whole.Length)), cancellationToken);
        attacker.Count();
        await connection.HoldAsync(Garbage.Between(1, 5), cancellationToken);
    }

    // The port of the PULL programs is not among them: whoever completes a handshake there gets a share of the
    // messages.
    public static async Task SendZeroMqGarbageAsync(Attacker attacker, CancellationToken cancellationToken)
    {
        Endpoints at = attacker.At;
        (int port, string type) = Garbage.Any((at.Publishers, "PUB"), (at.Subscribers, "SUB"), (at.Requests, "DEALER"), (at.Pushers, "PUSH"));
        using HostileConnection connection = await attacker.ConnectAsync(port, cancellationToken);
        byte[] beginning = Garbage.Any([], Zmtp.Greeting(), Zmtp.Greeting("CURVE"), Zmtp.Greeting("NULL\u0001"), Zmtp.Handshake(type), Zmtp.Handshake(type), Zmtp.Handshake("NOTHING"));
        await connection.SendAsync(beginning, cancellationToken);
        for (int i = Random.Shared.Next(1, 10); i > 0; i--)
        {
            await connection.SendAsync(ZeroMqGarbage(), cancellationToken);
        }

        attacker.Count();
        await connection.HoldAsync(Garbage.Between(0, 1), cancellationToken);
    }

    public static async Task StopNatsAsync(Attacker attacker, CancellationToken cancellationToken)
    {
        using HostileConnection connection = await attacker.ConnectAsync(attacker.At.Nats, cancellationToken);
        string whole = Nats.Connect(Names.Attacker, Names.AttackerPassword);
        await connection.SendAsync(whole[..Random.Shared.Next(whole.Length - 2)], cancellationToken);
        attacker.Count();
        await connection.HoldAsync(TimeSpan.FromSeconds(5), cancellationToken);
    }

    public static async Task SendNatsGarbageAsync(Attacker attacker, CancellationToken cancellationToken)
    {
        using HostileConnection connection = await attacker.ConnectAsync(attacker.At.Nats, cancellationToken);
        if (Garbage.Any(true, false))
        {
            await connection.SendAsync(Nats.Connect(Names.Attacker, Names.AttackerPassword), cancellationToken);
        }

        for (int i = Random.Shared.Next(1, 10); i > 0; i--)
        {
            await connection.SendAsync(NatsGarbage(), cancellationToken);
        }

        attacker.Count();
        await connection.HoldAsync(Garbage.Between(0, 1), cancellationToken);
    }

    public static async Task GuessPasswordAsync(Attacker attacker, CancellationToken cancellationToken)
    {
        using HostileConnection connection = await attacker.ConnectAsync(attacker.At.Nats, cancellationToken);
        string user = Garbage.Any(Names.Honest, Names.Honest, Names.Attacker, "nobody", "", Names.Hashed);
        await connection.SendAsync(Nats.Connect(user, Garbage.Token()) + "PING\r\n", cancellationToken);
        attacker.Count();
        await connection.HoldAsync(TimeSpan.FromSeconds(5), cancellationToken);
    }

    public static async Task ConnectAndDropAsync(Attacker attacker, CancellationToken cancellationToken)
    {
        Endpoints at = attacker.At;
        int port = Garbage.Any(
            at.Nats, at.Monitoring, at.WebSocket, at.Publishers, at.Subscribers, at.Requests, at.Pushers, at.Pullers, at.Secured);
        using HostileConnection connection = await attacker.ConnectAsync(port, cancellationToken);
        if (Garbage.Any(true, false))
        {
            connection.ResetAtEnd();
        }

        attacker.Count();
        await Task.Delay(Random.Shared.Next(20), cancellationToken);
    }

    private static byte[] ZeroMqGarbage() => Random.Shared.Next(6) switch
    {
        0 => Garbage.Bytes(200),
        1 => Zmtp.LongHead(0, Random.Shared.NextInt64()),
        2 => Zmtp.LongHead(Zmtp.Command, -1),
        3 => Zmtp.Frame(Zmtp.Command, Garbage.Any("\u0005ERROR\u0003abc"u8.ToArray(), "\u0004PING"u8.ToArray(), "\u0009SUBSCRIBE"u8.ToArray(), "\u0005READY"u8.ToArray())),
        4 => Zmtp.Frame((byte)Random.Shared.Next(256), Garbage.Bytes(100)),
        _ => Zmtp.Frame(Zmtp.More, Garbage.Bytes(100)),
    };

    private static byte[] NatsGarbage() => Random.Shared.Next(5) switch
    {
        0 => Garbage.Bytes(200),
        1 => System.Text.Encoding.Latin1.GetBytes(Garbage.Any(
            "PUB a -1\r\n", "PUB a 99999999999\r\n", "SUB\r\n", "HPUB a 5 3\r\n", "UNSUB x\r\n", "MSG a 1 0\r\n\r\n", "CONNECT {\"a\":[[[[\r\n", "SUB a..b 1\r\n", "PUB a.* 0\r\n\r\n")),
        2 => System.Text.Encoding.ASCII.GetBytes(new string('P', 5000)),
        3 => "PUB garbage 5\r\nab"u8.ToArray(),
        _ => System.Text.Encoding.ASCII.GetBytes(string.Concat(Enumerable.Repeat("PING\r\nPONG\r\n", 20))),
    };
}
