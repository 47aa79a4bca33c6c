using System.Text;

namespace Broker.Server.Tests.Allocation;

/// <summary>
/// The messages of a row of the load test: the publishers, the subscribers and the payload. All use one subject.
/// </summary>
internal sealed record LoadRow(string Name, string Subject, string Payload)
{
    internal const string Inbox = "_INBOX.x";

    internal static readonly byte[] Ping = "PING\r\n"u8.ToArray();

    internal int Publishers { get; init; } = 1;

    /// <summary>The number of readers. Each has its own connection.</summary>
    internal int Readers { get; init; }

    /// <summary>The number of subscriptions that the publisher makes.</summary>
    internal int Own { get; init; }

    internal string Queue { get; init; } = "";

    /// <summary>Whether the reader replies and the publisher waits for the reply before it continues.</summary>
    internal bool Requests { get; init; }

    /// <summary>
    /// The approximate number of deliveries that take at most a second; without subscribers, of publishes.
    /// </summary>
    private int Deliveries => Requests ? 5_000 : Payload.Length > 1_000 ? 100_000 : Publishers + Readers > 50 ? 200_000 : 400_000;

    private int DeliveriesEach => Queue.Length != 0 ? 1 : Readers + Own;

    /// <summary>The number of messages that each publisher sends before the test waits for all clients.</summary>
    internal int Batch => Requests ? 1 : Publishers > 1 ? 500 / Publishers : 1_000 / Math.Max(4, DeliveriesEach);

    internal int Rounds => Deliveries / (Batch * Publishers * Math.Max(1, DeliveriesEach));

    internal int HeardLength => Heard.Length * DeliveriesEach * Batch * Publishers;

    internal byte[] Published => Ascii($"PUB {Subject} {Payload.Length}\r\n{Payload}\r\n");

    internal byte[] Request => Ascii($"PUB {Subject} {Inbox} {Payload.Length}\r\n{Payload}\r\n");

    internal byte[] RequestHeard => Ascii($"MSG {Subject} 1 {Inbox} {Payload.Length}\r\n{Payload}\r\n");

    internal byte[] Reply => Ascii($"PUB {Inbox} {Payload.Length}\r\n{Payload}\r\n");

    internal byte[] ReplyHeard => Ascii($"MSG {Inbox} 1 {Payload.Length}\r\n{Payload}\r\n");

    // The length is the same for all sids, because they have one digit.
    private byte[] Heard => Ascii($"MSG {Subject} 1 {Payload.Length}\r\n{Payload}\r\n");

    /// <summary>The SUB lines of a connection with this number of subscriptions.</summary>
    internal string Subscribe(int count) => string.Concat(Enumerable.Range(1, count).Select(sid => $"SUB {Subject} {Queue} {sid}\r\n"));

    private static byte[] Ascii(string text) => Encoding.ASCII.GetBytes(text);
}
