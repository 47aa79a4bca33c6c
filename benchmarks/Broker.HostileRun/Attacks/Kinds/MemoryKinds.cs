using System.Text;
using Broker.HostileRun.Site;

namespace Broker.HostileRun.Attacks.Kinds;

/// <summary>Clients that let the broker keep bytes: messages without an end, and readers that do not read.</summary>
internal static class MemoryKinds
{
    private const int MessageSize = 1024 * 1024;
    private const int Chunk = 64 * 1024;

    // Above what the server keeps for a client by default.
    private const int Much = 80 * 1024 * 1024;

    private static readonly byte[] Zeros = new byte[MessageSize];

    /// <summary>Announces a message of 1 MiB, sends a part of it, and stays.</summary>
    public static async Task LeaveUnfinishedAsync(Attacker attacker, CancellationToken cancellationToken)
    {
        Endpoints at = attacker.At;
        string nats = Nats.Connect(Names.Attacker, Names.AttackerPassword) + $"PUB unfinished {MessageSize}\r\n";
        (int port, byte[] head) = Random.Shared.Next(5) switch
        {
            0 => (at.Pushers, [.. Zmtp.Handshake("PUSH"), .. Zmtp.LongHead(0, MessageSize)]),
            1 => (at.Publishers, [.. Zmtp.Handshake("PUB"), .. Zmtp.LongHead(0, MessageSize)]),
            2 => (at.Requests, [.. Zmtp.Handshake("DEALER"), .. Zmtp.LongHead(Zmtp.More, MessageSize)]),
            3 => (at.WebSocket, [.. Encoding.ASCII.GetBytes(WebSocketBytes.Upgrade), .. UnfinishedFrame(nats)]),
            _ => (at.Nats, Encoding.ASCII.GetBytes(nats)),
        };
        using HostileConnection connection = await attacker.ConnectAsync(port, cancellationToken);
        await connection.SendAsync(head, cancellationToken);
        attacker.Count();
        Task sending = connection.SendAsync(Zeros.AsMemory(0, Random.Shared.Next(Chunk, MessageSize)), cancellationToken);
        await connection.HoldAsync(TimeSpan.FromSeconds(10), cancellationToken);
        connection.Dispose();
        await sending;
    }

    /// <summary>Subscribes, lets much be sent to itself, and reads nothing of it.</summary>
    public static async Task ReadNothingAsync(Attacker attacker, CancellationToken cancellationToken)
    {
        string token = Garbage.Token();
        string subject = $"{Names.Prefix}.{token}";
        int bytes = Random.Shared.Next(64) == 0 ? Much : MessageSize;
        if (Garbage.Any(true, false))
        {
            using HostileConnection peer = await attacker.ConnectSlowAsync(attacker.At.Subscribers, cancellationToken);
            await peer.SendAsync((byte[])[.. Zmtp.Handshake("SUB"), .. Zmtp.Subscribe(token)], cancellationToken);
            using HostileConnection publisher = await attacker.ConnectNatsAsync(cancellationToken);
            await Task.Delay(TimeSpan.FromMilliseconds(200), cancellationToken);
            await PublishAsync(publisher, subject, bytes, cancellationToken);
            attacker.Count();
            await Task.Delay(TimeSpan.FromSeconds(3), cancellationToken);
            return;
        }

        using HostileConnection connection = await attacker.ConnectSlowAsync(attacker.At.Nats, cancellationToken);
        await connection.SendAsync(Nats.Connect(Names.Attacker, Names.AttackerPassword) + $"SUB {subject} 1\r\n", cancellationToken);
        await PublishAsync(connection, subject, bytes, cancellationToken);
        attacker.Count();
        await Task.Delay(TimeSpan.FromSeconds(3), cancellationToken);
    }

    private static byte[] UnfinishedFrame(string beginning)
        => WebSocketBytes.Frame(WebSocketBytes.Binary, Encoding.ASCII.GetBytes(beginning), (ulong)(beginning.Length + MessageSize));

    private static async Task PublishAsync(HostileConnection connection, string subject, int bytes, CancellationToken cancellationToken)
    {
        byte[] message = Encoding.ASCII.GetBytes(Nats.Publish(subject, Chunk));
        for (int sent = 0; sent < bytes; sent += Chunk)
        {
            await connection.SendAsync(message, cancellationToken);
        }
    }
}
