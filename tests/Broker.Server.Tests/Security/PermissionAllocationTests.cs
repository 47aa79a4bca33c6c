using System.Net.Sockets;
using System.Text;
using Broker.Server.Tests.Harness;
using Broker.Transport;

namespace Broker.Server.Tests.Security;

public sealed class PermissionAllocationTests
{
    private const int Batch = 250;
    private const int Messages = 100_000;
    private const int Attempts = 3;
    private const int Tolerance = 16 * 1024;

    // The operations of the publisher, and the replies of the subscriber.
    public static TheoryData<string, string> Ways => new()
    {
        { "PUB a.b 5\r\nhello\r\n", "" },
        { "PUB a.b i.1 5\r\nhello\r\n", "PUB i.1 2\r\nok\r\n" },
        { "PUB a.b 1\r\nx\r\nPUB a.c 1\r\ny\r\n", "" },
    };

    [Theory]
    [MemberData(nameof(Ways))]
    public async Task A_message_under_permissions_allocates_nothing(string message, string answer)
    {
        Permissions client = new() { Publish = new SubjectPermissions { Allow = ["a.*"], Deny = ["a.d"] }, Subscribe = SubjectPermissions.Only("i.*") };
        Permissions service = new() { Subscribe = new SubjectPermissions { Allow = ["a.>"], Deny = ["a.c"] }, Responses = new ResponsePermissions() };
        await using BrokerServer server = await Servers.StartAsync(o =>
        {
            o.LoopOptions = new EventLoopOptions { Loops = 1 };
            o.Users = [new User("client", "p", client), new User("service", "p", service)];
        });
        using RawClient from = Open(server, "client", "SUB i.* 1\r\n");
        using RawClient to = Open(server, "service", "SUB a.> 1\r\n");
        string heard = message.StartsWith("PUB a.b i.1", StringComparison.Ordinal) ? "MSG a.b 1 i.1 5\r\nhello\r\n"
            : message.StartsWith("PUB a.b 5", StringComparison.Ordinal) ? "MSG a.b 1 5\r\nhello\r\n" : "MSG a.b 1 1\r\nx\r\n";
        byte[] one = Encoding.ASCII.GetBytes(message);
        byte[] response = Encoding.ASCII.GetBytes(answer);
        byte[] scratch = new byte[4096];
        byte[] batch = Encoding.ASCII.GetBytes(string.Concat(Enumerable.Repeat(message, Batch)));
        long Run(int messages)
        {
            long before = GC.GetTotalAllocatedBytes(precise: true);
            for (int i = 0; i < messages; i += response.Length == 0 ? Batch : 1)
            {
                from.Send(response.Length == 0 ? batch : one);
                Drop(to.Socket, heard.Length * (response.Length == 0 ? Batch : 1), scratch);
                if (response.Length != 0)
                {
                    to.Send(response);
                    Drop(from.Socket, "MSG i.1 1 2\r\nok\r\n".Length, scratch);
                }
            }

            return GC.GetTotalAllocatedBytes(precise: true) - before;
        }

        int count = response.Length == 0 ? Messages : Messages / 10;
        Run(count / 4);
        long once = 0;
        long twice = 0;
        bool isNothing = false;

        // An allocation for each message would occur in every round. A block that the pool creates when a peer is first
        // delayed would not.
        for (int attempt = 0; attempt < Attempts && !isNothing; attempt++)
        {
            once = Run(count);
            twice = Run(count * 2);
            isNothing = Math.Abs(twice - once) <= Tolerance && twice <= 2 * Tolerance;
        }

        Assert.True(isNothing, $"{once} bytes, then {twice} for twice as many");
    }

    private static RawClient Open(BrokerServer server, string user, string says)
    {
        var client = RawClient.Open(server, $$"""CONNECT {"verbose":false,"pedantic":false,"user":"{{user}}","pass":"p"}""" + "\r\n");
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
