using System.Net.Sockets;
using System.Text;
using Broker.Server.Tests.Harness;
using Broker.Transport;

namespace Broker.Server.Tests.Accounts;

public sealed class AccountAllocationTests
{
    private const int Batch = 250;
    private const int Messages = 100_000;
    private const int Attempts = 3;
    private const int Tolerance = 16 * 1024;

    // The publisher, its operations, the subscriber, and the messages that it receives.
    public static TheoryData<string, string, string, string, string, string> Ways => new()
    {
        { "within an account", "a", "PUB x.1 5\r\nhello\r\n", "a2", "SUB x.* 1\r\n", "MSG x.1 1 5\r\nhello\r\n" },
        { "by a stream import", "a", "PUB x.1 5\r\nhello\r\n", "b", "SUB p.x.* 1\r\n", "MSG p.x.1 1 5\r\nhello\r\n" },
        { "by a mapped stream import", "a", "PUB y.1.2 5\r\nhello\r\n", "b", "SUB z.> 1\r\n", "MSG z.2.1 1 5\r\nhello\r\n" },
        { "to a queue group by an import", "a", "PUB x.1 5\r\nhello\r\n", "b", "SUB p.x.* q 1\r\nSUB p.> q 1\r\n", "MSG p.x.1 1 5\r\nhello\r\n" },
        { "to a mapped subject", "m", "PUB m.a.b 5\r\nhello\r\n", "m2", "SUB x.> 1\r\n", "MSG x.0.b.a 1 5\r\nhello\r\n" },
        { "to a subject of a random choice", "m", "PUB c.a 5\r\nhello\r\n", "m2", "SUB x.> 1\r\n", "MSG x.a 1 5\r\nhello\r\n" },
        { "with headers by an import", "a", "HPUB x.1 12 17\r\nNATS/1.0\r\n\r\nhello\r\n", "b", "SUB p.x.* 1\r\n", "HMSG p.x.1 1 12 17\r\nNATS/1.0\r\n\r\nhello\r\n" },
    };

    [Theory]
    [MemberData(nameof(Ways))]
    public async Task A_message_allocates_nothing(string way, string publisher, string message, string subscriber, string says, string heard)
    {
        await using BrokerServer server = await Servers.StartAsync(o =>
        {
            o.LoopOptions = new EventLoopOptions { Loops = 1 };
            o.Accounts =
            [
                new AccountOptions("A") { Users = [new User("a", "a"), new User("a2", "a2")], Exports = [new StreamExport("x.>"), new StreamExport("y.*.*")] },
                new AccountOptions("M")
                {
                    Users = [new User("m", "m"), new User("m2", "m2")],
                    Mappings = [new("m.*.*", "x.{{partition(1,1,2)}}.$2.$1"), new("c.*", [new("x.$1", 50), new("x.a", 50)])],
                },
                new AccountOptions("B")
                {
                    Users = [new User("b", "b")],
                    Imports = [new StreamImport("A", "x.>") { Prefix = "p" }, new StreamImport("A", "y.*.*") { To = "z.$2.$1" }],
                },
            ];
        });
        using RawClient from = Open(server, publisher, "");
        using RawClient to = Open(server, subscriber, says);
        byte[] scratch = new byte[4096];
        byte[] batch = Encoding.ASCII.GetBytes(string.Concat(Enumerable.Repeat(message, Batch)));
        long Run(int messages)
        {
            long before = GC.GetTotalAllocatedBytes(precise: true);
            for (int i = 0; i < messages; i += Batch)
            {
                from.Send(batch);
                Drop(to.Socket, heard.Length * Batch, scratch);
            }

            return GC.GetTotalAllocatedBytes(precise: true) - before;
        }

        Run(Messages / 4);
        long once = 0;
        long twice = 0;
        bool isNothing = false;

        // An allocation for each message would occur in every round. A block that the pool creates when a peer is first
        // delayed would not.
        for (int attempt = 0; attempt < Attempts && !isNothing; attempt++)
        {
            once = Run(Messages);
            twice = Run(Messages * 2);
            isNothing = Math.Abs(twice - once) <= Tolerance && twice <= 2 * Tolerance;
        }

        Assert.True(isNothing, $"{way}: {once} bytes, then {twice} for twice as many");
    }

    private static RawClient Open(BrokerServer server, string user, string says)
    {
        var client = RawClient.Open(server, Accounts.As(user));
        client.Send(says);
        // The first PING comes soon. The next one comes after the end of the test.
        for (string line = ""; line != "PING\r\n";)
        {
            line = client.ReadLine();
        }

        client.Send("PONG\r\n");
        return client;
    }

    private static void Drop(Socket socket, int count, byte[] scratch)
    {
        while (count > 0)
        {
            Assert.True(socket.Poll(Wait.Limit, SelectMode.SelectRead));
            int got = socket.Receive(scratch.AsSpan(0, Math.Min(count, scratch.Length)));
            Assert.True(got > 0);
            count -= got;
        }
    }
}
