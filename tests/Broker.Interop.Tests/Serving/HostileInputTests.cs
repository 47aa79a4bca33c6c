using System.Buffers.Binary;
using Broker.Interop.Tests.Harness;

namespace Broker.Interop.Tests.Serving;

/// <summary>
/// Tests that the broker sends an error to a peer that violates the protocol, or closes it, and still serves the
/// others.
/// </summary>
public sealed class HostileInputTests
{
    private const string Connect = "CONNECT {\"verbose\":false}\r\n";

    public static TheoryData<string> Lines { get; } =
    [
        "PUB " + new string('a', 100_000) + " 1\r\n",
        "PUB a -1\r\n",
        "PUB a 999999999999999999999999999999\r\n",
        "PUB a 2147483648\r\n",
        "HPUB a 10 5\r\n",
        "HPUB a 2147483648 2147483648\r\n",
        "NONSENSE a b\r\n",
        "\0\0\0\0\0\0\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
    ];

    [Theory]
    [MemberData(nameof(Lines))]
    public async Task A_client_that_breaks_the_protocol_is_told_and_closed(string line)
    {
        await using BrokerProcess broker = await BrokerProcess.StartAsync(-1);
        using RawConnection hostile = await broker.ConnectRawAsync();

        await hostile.SendAsync(Connect + line);

        string text = await hostile.ReadToCloseAsync();
        Assert.StartsWith("INFO {", text, StringComparison.Ordinal);
        Assert.Contains("-ERR '", text, StringComparison.Ordinal);
        await OthersAreServedAsync(broker);
    }

    [Fact]
    public async Task A_zeromq_peer_that_announces_an_endless_frame_is_closed_without_memory_being_taken()
    {
        await using BrokerProcess broker = await BrokerProcess.StartWithZeroMqAsync();
        await OthersAreServedAsync(broker);
        long before = broker.ResidentMemory();
        byte[] frame = new byte[9];
        frame[0] = 0x02;
        BinaryPrimitives.WriteUInt64BigEndian(frame.AsSpan(1), 1UL << 63);

        for (int i = 0; i < 20; i++)
        {
            using RawConnection hostile = await BrokerProcess.ConnectRawAsync(broker.Publishers);
            await hostile.SendAsync(Greeting());
            await hostile.SendAsync(NullReady("PUB"));
            await hostile.SendAsync(frame);
            await hostile.ReadToCloseAsync();
        }

        Assert.InRange(broker.ResidentMemory() - before, long.MinValue, 32 * 1024 * 1024);
        await OthersAreServedAsync(broker);
    }

    [Fact]
    public async Task Half_open_handshakes_keep_nobody_out()
    {
        await using BrokerProcess broker = await BrokerProcess.StartWithZeroMqAsync();
        var half = new List<RawConnection>();
        try
        {
            for (int i = 0; i < 50; i++)
            {
                half.Add(await BrokerProcess.ConnectRawAsync(i % 2 == 0 ? broker.Publishers : broker.Subscribers));
                await half[^1].SendAsync(Greeting()[..(i + 1)]);
                half.Add(await broker.ConnectRawAsync());
                await half[^1].SendAsync("CONN");
            }

            await using Subscriber sub = await Peers.Python.SubscribeAsync(broker.Subscribers, "t");
            await using Publisher pub = await Peers.Libzmq.PublishAsync(broker.Publishers);
            await pub.SendUntilReceivedAsync("t", sub);
            await OthersAreServedAsync(broker);
        }
        finally
        {
            half.ForEach(connection => connection.Dispose());
        }
    }

    private static async Task OthersAreServedAsync(BrokerProcess broker)
    {
        using RawConnection other = await broker.ConnectRawAsync();
        await other.SendAsync(Connect + "SUB foo 1\r\nPUB foo 2\r\nok\r\nPING\r\n");
        Assert.Contains("MSG foo 1 2\r\nok\r\n", await other.ReadToAsync("PONG\r\n"), StringComparison.Ordinal);
    }

    /// <summary>Returns the 64 bytes of a ZMTP 3.1 greeting (RFC 37) with the mechanism NULL.</summary>
    private static byte[] Greeting()
    {
        byte[] greeting = new byte[64];
        greeting[0] = 0xff;
        greeting[9] = 0x7f;
        greeting[10] = 3;
        greeting[11] = 1;
        "NULL"u8.CopyTo(greeting.AsSpan(12));
        return greeting;
    }

    private static byte[] NullReady(string socketType)
    {
        byte[] body =
        [
            5, .. "READY"u8, 11, .. "Socket-Type"u8, 0, 0, 0, (byte)socketType.Length, .. System.Text.Encoding.ASCII.GetBytes(socketType),
        ];
        return [0x04, (byte)body.Length, .. body];
    }
}
