using System.Text;

namespace Broker.Server.Tests.Allocation;

/// <summary>What a row of the load test sends: who publishes what to whom. Everybody's subject is the same.</summary>
internal sealed record LoadRow(string Name, string Subject, string Payload)
{
    internal const string Inbox = "_INBOX.x";

    internal static readonly byte[] Ping = "PING\r\n"u8.ToArray();

    internal int Publishers { get; init; } = 1;

    /// <summary>Readers on connections of their own.</summary>
    internal int Readers { get; init; }

    /// <summary>How many subscriptions the publisher makes itself.</summary>
    internal int Own { get; init; }

    internal string Queue { get; init; } = "";

    /// <summary>Whether the reader answers, and the publisher waits for that before it goes on.</summary>
    internal bool Requests { get; init; }

    /// <summary>About how many deliveries take a second or less; where nobody listens, publishes.</summary>
    private int Deliveries => Requests ? 5_000 : Payload.Length > 1_000 ? 100_000 : Publishers + Readers > 50 ? 200_000 : 400_000;

    private int DeliveriesEach => Queue.Length != 0 ? 1 : Readers + Own;

    /// <summary>How many messages each publisher sends before everybody is waited for.</summary>
    internal int Batch => Requests ? 1 : Publishers > 1 ? 500 / Publishers : 1_000 / Math.Max(4, DeliveriesEach);

    internal int Rounds => Deliveries / (Batch * Publishers * Math.Max(1, DeliveriesEach));

    internal int HeardLength => Heard.Length * DeliveriesEach * Batch * Publishers;

    internal byte[] Published => Ascii($"PUB {Subject} {Payload.Length}\r\n{Payload}\r\n");

    internal byte[] Request => Ascii($"PUB {Subject} {Inbox} {Payload.Length}\r\n{Payload}\r\n");

    internal byte[] RequestHeard => Ascii($"MSG {Subject} 1 {Inbox} {Payload.Length}\r\n{Payload}\r\n");

    internal byte[] Reply => Ascii($"PUB {Inbox} {Payload.Length}\r\n{Payload}\r\n");

    internal byte[] ReplyHeard => Ascii($"MSG {Inbox} 1 {Payload.Length}\r\n{Payload}\r\n");

    // As long under each sid, for these have one digit.
    private byte[] Heard => Ascii($"MSG {Subject} 1 {Payload.Length}\r\n{Payload}\r\n");

    /// <summary>What a connection says that has so many of the subscriptions.</summary>
    internal string Subscribe(int count) => string.Concat(Enumerable.Range(1, count).Select(sid => $"SUB {Subject} {Queue} {sid}\r\n"));

    private static byte[] Ascii(string text) => Encoding.ASCII.GetBytes(text);
}
