using System.Globalization;
using System.Text;
using Broker.Server.Tests.Harness;
using Broker.Transport;

namespace Broker.Server.Tests.Delivery;

/// <summary>
/// Consecutive messages to the same subscriptions are delivered as a batch. Clients must see no difference: each
/// client's whole output is compared with that of messages delivered one by one.
/// </summary>
public sealed class FanOutBatchTests
{
    private const int Crowd = 24;
    private const int Few = 4;
    private const int Limited = 3;
    private const int Limit = 5;

    // Sids of every length that is written in one store, and two longer ones.
    private static readonly string[] Sids =
        [.. Enumerable.Range(0, Crowd).Select(i => i % 11 == 10 ? $"a-longer-sid-{i}" : new string((char)('b' + i), 1 + (i % 9)))];

    // Subjects with many subscribers, with few, with one client only (two of them), and with the publisher itself at
    // times.
    private static readonly string[] Roots = ["a", "b", "c", "d", "e"];

    // Tokens for heads of every length: written in one store, copied, and too long for a direct batch.
    private static readonly string[] Tokens = ["1", "22", "a-token-of-some-length", new string('t', 100), new string('u', 300)];

    public static TheoryData<int, SlowConsumerPolicy, bool> Servers => new(
        from loops in (int[])[1, 2]
        from policy in Enum.GetValues<SlowConsumerPolicy>()
        from echo in (bool[])[true, false]
        select (loops, policy, echo));

    [Theory]
    [MemberData(nameof(Servers))]
    public async Task Each_client_receives_the_same_bytes_as_with_messages_delivered_one_by_one(int loops, SlowConsumerPolicy policy, bool echo)
    {
        var random = new Random(Seed.Next());
        await using BrokerServer server = await Harness.Servers.StartAsync(o =>
        {
            o.LoopOptions = new EventLoopOptions { Loops = loops };
            o.SlowConsumers = policy;
        });
        RawClient[] crowd = [.. Enumerable.Range(0, Crowd).Select(_ => RawClient.Open(server))];
        using var publisher = RawClient.Open(
            server, RawClient.Quiet.Replace("false}", $"false,\"echo\":{(echo ? "true" : "false")}}}", StringComparison.Ordinal));
        try
        {
            for (int i = 0; i < Crowd; i++)
            {
                crowd[i].Send($"SUB a.* {Sids[i]}\r\n" + (i == Limited ? $"UNSUB {Sids[i]} {Limit}\r\n" : ""));
                crowd[i].Send(i < Few ? $"SUB b.> z{i}\r\n" : "");
                crowd[i].Send(i == 0 ? "SUB c.* only\r\n" : i == 1 ? "SUB d.* other\r\n" : "");
                crowd[i].Sync();
            }

            int[] limit = [Limit];
            for (int round = 0; round < 4; round++)
            {
                var expected = new StringBuilder[Crowd + 1];
                Array.ForEach(Enumerable.Range(0, Crowd + 1).ToArray(), i => expected[i] = new StringBuilder());
                publisher.Send(Batch(random, echo, limit, expected));
                foreach (string heard in expected[Crowd].ToString().Split("PONG\r\n"))
                {
                    Assert.Equal(heard, publisher.ReadToPong());
                }

                for (int i = 0; i < Crowd; i++)
                {
                    Assert.Equal(expected[i].ToString(), crowd[i].Sync(expected[i].Length));
                }
            }
        }
        finally
        {
            Array.ForEach(crowd, client => client.Dispose());
        }
    }

    [Fact]
    public async Task A_client_with_two_subscriptions_receives_each_message_twice_before_the_next()
    {
        await using BrokerServer server = await Harness.Servers.StartAsync();
        RawClient[] crowd = [.. Enumerable.Range(0, Crowd).Select(_ => RawClient.Open(server))];
        using var publisher = RawClient.Open(server);
        try
        {
            Array.ForEach(crowd, client => client.Send("SUB a 1\r\n"));
            crowd[0].Send("SUB * 2\r\n");
            Array.ForEach(crowd, client => client.Sync());
            publisher.Send(string.Concat(Enumerable.Range(0, 50).Select(i => $"PUB a 2\r\n{i:00}\r\n")));
            publisher.Sync();

            string[] lines = crowd[0].Sync().Split("\r\n", StringSplitOptions.RemoveEmptyEntries);
            string[] bodies = [.. lines.Where((_, i) => i % 2 == 1)];
            Assert.Equal(Enumerable.Range(0, 50).SelectMany(i => (string[])[$"{i:00}", $"{i:00}"]), bodies);
        }
        finally
        {
            Array.ForEach(crowd, client => client.Dispose());
        }
    }

    [Fact]
    public async Task Messages_with_different_subjects_reach_their_only_subscriber_with_these_subjects()
    {
        // More subjects than are stored at their first use.
        const int Messages = 5000;
        await using BrokerServer server = await Harness.Servers.StartAsync();
        using var reader = RawClient.Open(server);
        using var publisher = RawClient.Open(server);
        reader.Send("SUB r.* 1\r\n");
        reader.Sync();
        publisher.Send(string.Concat(Enumerable.Range(0, Messages).Select(i => $"PUB r.{i} {(i % 3 == 0 ? "answer.here " : "")}2\r\nhi\r\n")));
        publisher.Sync();

        Assert.Equal(
            string.Concat(Enumerable.Range(0, Messages).Select(i => $"MSG r.{i} 1 {(i % 3 == 0 ? "answer.here " : "")}2\r\nhi\r\n")), reader.Sync());
    }

    [Fact]
    public async Task A_limit_that_is_set_during_a_flood_of_messages_ends_the_subscription()
    {
        const int Rounds = 300;
        await using BrokerServer server = await Harness.Servers.StartAsync(o => o.LoopOptions = new EventLoopOptions { Loops = 2 });
        // One of the subscribers is on another loop than the publisher.
        using var first = RawClient.Open(server);
        using var second = RawClient.Open(server);
        using var flood = RawClient.Open(server);
        bool ends = false;
        string messages = string.Concat(Enumerable.Repeat("PUB a 2\r\nhi\r\n", 500));
        var flooding = Task.Run(
            () =>
            {
                while (!Volatile.Read(ref ends))
                {
                    flood.Send(messages);
                    flood.Sync();
                }
            },
            TestContext.Current.CancellationToken);
        try
        {
            for (int i = 0; i < Rounds; i++)
            {
                foreach (RawClient reader in (RawClient[])[first, second])
                {
                    reader.Send($"SUB a s{i}\r\n");
                    int heard = reader.Sync().Split("MSG ").Length - 1;
                    reader.Send($"UNSUB s{i} {heard + 1 + (i * 20)}\r\n");
                    reader.Sync();
                }
            }

            await Wait.UntilAsync(
                () =>
                {
                    first.Sync();
                    second.Sync();
                    return server.Snapshot().Subscriptions == 0 || flooding.IsCompleted;
                },
                () => $"{server.Snapshot().Subscriptions} are left");
        }
        finally
        {
            Volatile.Write(ref ends, true);
            await flooding;
        }

        Assert.Equal(0, server.Snapshot().Subscriptions);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(Crowd)]
    public async Task The_counts_of_a_batch_are_those_of_single_messages(int some)
    {
        const int Messages = 300;
        await using BrokerServer server = await Harness.Servers.StartAsync();
        RawClient[] crowd = [.. Enumerable.Range(0, some).Select(_ => RawClient.Open(server))];
        using var publisher = RawClient.Open(server);
        try
        {
            Array.ForEach(crowd, client => client.Send("SUB a 1\r\n"));
            Array.ForEach(crowd, client => client.Sync());
            ServerSnapshot before = server.Snapshot();
            long payloadBefore = server.Inspect().PayloadBytesOut;
            publisher.Send(string.Concat(Enumerable.Repeat("PUB a 10\r\n0123456789\r\n", Messages)));
            publisher.Sync();

            ServerSnapshot after = server.Snapshot();
            Assert.Equal(Messages, after.MessagesIn - before.MessagesIn);
            Assert.Equal(Messages * some, after.MessagesOut - before.MessagesOut);
            Assert.Equal(10 * Messages * some, server.Inspect().PayloadBytesOut - payloadBefore);
            Assert.Equal(Messages * some * "MSG a 1 10\r\n0123456789\r\n".Length, after.BytesOut - before.BytesOut);
            Array.ForEach(crowd, client => Assert.Equal(Messages, client.Sync().Split("MSG a 1 10\r\n0123456789\r\n").Length - 1));
        }
        finally
        {
            Array.ForEach(crowd, client => client.Dispose());
        }
    }

    // Returns operations that one publisher sends together, and appends the expected output of each client.
    private static string Batch(Random random, bool echo, int[] limit, StringBuilder[] expected)
    {
        const int Operations = 400;
        var text = new StringBuilder();
        bool isSubscribed = false;
        string root = Roots[0];
        string token = "1";
        for (int i = 0; i < Operations; i++)
        {
            switch (random.Next(40))
            {
                case 0:
                    text.Append("PING\r\n");
                    expected[Crowd].Append("PONG\r\n");
                    break;
                case 1 when !isSubscribed:
                    text.Append("SUB a.* own\r\nSUB e own2\r\n");
                    isSubscribed = true;
                    break;
                case 2 when isSubscribed:
                    text.Append("UNSUB own\r\nUNSUB own2\r\n");
                    isSubscribed = false;
                    break;
                case 3:
                    root = Roots[random.Next(Roots.Length)];
                    break;
                default:
                    // Most messages have one size. Some have any size, and few exceed the limit of a batch. Most go to
                    // one subject, or to subjects with the same subscribers.
                    Publish(
                        random.Next(20) == 0 ? Roots[random.Next(Roots.Length)] : root,
                        random.Next(8) switch { 0 => random.Next(300), 1 => FanOutBatch.MaxLength + random.Next(-40, 40), _ => 16 });
                    break;
            }
        }

        text.Append(isSubscribed ? "UNSUB own\r\nUNSUB own2\r\n" : "");
        text.Append("PING\r\n");
        return text.ToString();

        void Publish(string root, int size)
        {
            token = random.Next(6) == 0 ? Tokens[random.Next(Tokens.Length)] : token;
            string subject = root == "e" ? root : $"{root}.{token}";
            string reply = random.Next(12) == 0 ? "answer.here " : "";
            string body = string.Concat(Enumerable.Repeat("x", size))
                is { Length: >= 4 } filled ? random.Next(1000, 9999).ToString(CultureInfo.InvariantCulture) + filled[4..] : new string('y', size);
            text.Append(CultureInfo.InvariantCulture, $"PUB {subject} {reply}{size}\r\n{body}\r\n");
            for (int i = 0; i < Crowd; i++)
            {
                if (root switch { "a" => i != Limited || limit[0]-- > 0, "b" => i < Few, "c" => i == 0, "d" => i == 1, _ => false })
                {
                    string sid = root switch { "a" => Sids[i], "b" => $"z{i}", "c" => "only", _ => "other" };
                    expected[i].Append(CultureInfo.InvariantCulture, $"MSG {subject} {sid} {reply}{size}\r\n{body}\r\n");
                }
            }

            if (root is "a" or "e" && isSubscribed && echo)
            {
                expected[Crowd].Append(CultureInfo.InvariantCulture, $"MSG {subject} {(root == "a" ? "own" : "own2")} {reply}{size}\r\n{body}\r\n");
            }
        }
    }
}
