using System.Globalization;
using System.Text;
using System.Text.RegularExpressions;
using Broker.Server.Tests.Harness;
using Broker.Transport;

namespace Broker.Server.Tests.Delivery;

/// <summary>Consecutive messages to one queue group are delivered as a batch. Clients must see no difference.</summary>
public sealed partial class GroupBatchTests
{
    private const int Members = 8;
    private const int Limited = 3;
    private const int Limit = 5;

    // One of these members receives its messages one by one.
    private static readonly string[] Sids = [.. Enumerable.Range(0, Members).Select(i => i == 2 ? "a-longer-sid-of-2" : $"s{i}")];

    [GeneratedRegex(@"MSG (?<subject>\S+) (?<sid>\S+) (?<reply>answer\.here )?(?<size>\d+)\r\n(?<body>[^\r]*)\r\n")]
    private static partial Regex MessageForm { get; }

    [GeneratedRegex(@"HMSG (?<subject>\S+) (?<sid>\S+) 18 (?<size>\d+)\r\nNATS/1\.0\r\nA: b\r\n\r\n(?<body>[^\r]*)\r\n")]
    private static partial Regex HeaderMessageForm { get; }

    public static TheoryData<int, SlowConsumerPolicy, bool> Servers => new(
        from loops in (int[])[1, 2]
        from policy in Enum.GetValues<SlowConsumerPolicy>()
        from echo in (bool[])[true, false]
        select (loops, policy, echo));

    [Theory]
    [MemberData(nameof(Servers))]
    public async Task Each_message_reaches_one_member_complete_and_in_order(int loops, SlowConsumerPolicy policy, bool echo)
    {
        const int Batches = 12;
        const int PerBatch = 200;
        var random = new Random(Seed.Next());
        await using BrokerServer server = await Harness.Servers.StartAsync(o =>
        {
            o.LoopOptions = new EventLoopOptions { Loops = loops };
            o.SlowConsumers = policy;
        });
        RawClient[] members = [.. Enumerable.Range(0, Members).Select(_ => RawClient.Open(server, Connect(echo: true)))];
        using var listener = RawClient.Open(server);
        using var publisher = RawClient.Open(server, Connect(echo));
        try
        {
            for (int i = 0; i < Members; i++)
            {
                members[i].Send($"SUB g.> q {Sids[i]}\r\n" + (i == Limited ? $"UNSUB {Sids[i]} {Limit}\r\n" : ""));
                members[i].Sync();
            }

            listener.Send("SUB l.* 1\r\n");
            listener.Sync();
            var heard = new StringBuilder[Members + 1];
            Array.ForEach(Enumerable.Range(0, Members + 1).ToArray(), i => heard[i] = new StringBuilder());
            var sent = new List<string>();
            bool isMember = false;
            for (int batch = 0; batch < Batches; batch++)
            {
                var text = new StringBuilder();
                int pings = 1;
                string subject = "g.1";
                for (int i = 0; i < PerBatch; i++)
                {
                    switch (random.Next(50))
                    {
                        case 0:
                            text.Append("PING\r\n");
                            pings++;
                            break;
                        case 1:
                            text.Append(isMember ? "UNSUB own\r\n" : "SUB g.> q own\r\n");
                            isMember = !isMember;
                            break;
                        case 2:
                            text.Append("PUB l.1 2\r\nhi\r\n");
                            break;
                        case 3:
                            subject = $"g.{random.Next(5)}" + new string('t', random.Next(4) == 0 ? 200 : 0);
                            break;
                        case 4:
                            string withHeaders = Body(random, sent.Count);
                            text.Append(CultureInfo.InvariantCulture, $"HPUB {subject} 18 {18 + withHeaders.Length}\r\nNATS/1.0\r\nA: b\r\n\r\n{withHeaders}\r\n");
                            sent.Add($"{subject} {withHeaders}");
                            break;
                        default:
                            string body = Body(random, sent.Count);
                            text.Append(CultureInfo.InvariantCulture, $"PUB {subject} {(random.Next(9) == 0 ? "answer.here " : "")}{body.Length}\r\n{body}\r\n");
                            sent.Add($"{subject} {body}");
                            break;
                    }
                }

                publisher.Send(text + "PING\r\n");
                for (; pings > 0; pings--)
                {
                    heard[Members].Append(publisher.ReadToPong());
                }
            }

            await Wait.UntilAsync(() =>
            {
                Array.ForEach(Enumerable.Range(0, Members).ToArray(), i => heard[i].Append(members[i].Sync()));
                return heard.Sum(h => h.ToString().Split("MSG ").Length - 1) >= sent.Count;
            });
            var all = new List<string>();
            for (int i = 0; i <= Members; i++)
            {
                List<string> own = Read(heard[i].ToString(), i == Members ? "own" : Sids[i]);
                Assert.Equal(own.OrderBy(Number), own);
                Assert.False(i == Members && !echo && own.Count != 0);
                Assert.False(i == Limited && own.Count != Limit);
                all.AddRange(own);
            }

            Assert.Equal(sent, all.OrderBy(Number));
        }
        finally
        {
            Array.ForEach(members, client => client.Dispose());
        }
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(Members)]
    public async Task All_members_have_an_equal_share_and_the_counts_are_those_of_single_messages(int count)
    {
        const int Messages = 8_000;
        await using BrokerServer server = await Harness.Servers.StartAsync();
        RawClient[] members = [.. Enumerable.Range(0, count).Select(_ => RawClient.Open(server))];
        using var publisher = RawClient.Open(server);
        try
        {
            for (int i = 0; i < count; i++)
            {
                members[i].Send($"SUB a q {Sids[i]}\r\n");
                members[i].Sync();
            }

            ServerSnapshot before = server.Snapshot();
            long payloadBefore = server.Inspect().PayloadBytesOut;
            for (int i = 0; i < Messages; i += 100)
            {
                publisher.Send(string.Concat(Enumerable.Repeat("PUB a 10\r\n0123456789\r\n", 100)));
            }

            publisher.Sync();
            int[] parts = new int[count];
            await Wait.UntilAsync(() =>
            {
                for (int i = 0; i < count; i++)
                {
                    parts[i] += members[i].Sync().Split($"MSG a {Sids[i]} 10\r\n0123456789\r\n").Length - 1;
                }

                return parts.Sum() >= Messages;
            });
            ServerSnapshot after = server.Snapshot();
            Assert.Equal(Messages, parts.Sum());
            Assert.Equal(Messages, after.MessagesIn - before.MessagesIn);
            Assert.Equal(Messages, after.MessagesOut - before.MessagesOut);
            Assert.Equal(10 * Messages, server.Inspect().PayloadBytesOut - payloadBefore);
            Assert.Equal(parts.Select((p, i) => p * (long)$"MSG a {Sids[i]} 10\r\n0123456789\r\n".Length).Sum(), after.BytesOut - before.BytesOut);
            // Seven times the standard deviation of fair choices.
            double far = 7 * Math.Sqrt(Messages * (1.0 / count) * (1 - (1.0 / count)));
            Assert.All(parts, p => Assert.InRange(p, (Messages / count) - far, (Messages / count) + far));
        }
        finally
        {
            Array.ForEach(members, client => client.Dispose());
        }
    }

    [Fact]
    public async Task A_request_to_a_group_without_a_possible_member_gets_the_no_responders_status()
    {
        await using BrokerServer server = await Harness.Servers.StartAsync();
        using var publisher = RawClient.Open(server, Connect(echo: false));
        publisher.Send("SUB inbox 1\r\nSUB a q 2\r\n");
        publisher.Sync();
        publisher.Send("PUB a inbox 2\r\nhi\r\nPUB a inbox 2\r\nhi\r\n");
        string answer = "HMSG inbox 1 16 16\r\nNATS/1.0 503\r\n\r\n\r\n";
        Assert.Equal(answer + answer, publisher.Sync());
    }

    private static string Connect(bool echo)
        => RawClient.Quiet.Replace("false}", $"false,\"echo\":{(echo ? "true" : "false")},\"headers\":true,\"no_responders\":true}}", StringComparison.Ordinal);

    private static string Body(Random random, int number)
        => number.ToString("00000", CultureInfo.InvariantCulture) + new string('x', random.Next(10) switch { 0 => random.Next(300), 1 => random.Next(3000), _ => 11 });

    private static int Number(string message) => int.Parse(message.AsSpan(message.IndexOf(' ', StringComparison.Ordinal) + 1, 5), CultureInfo.InvariantCulture);

    // Returns each message as its subject and body, and checks that there is nothing else.
    private static List<string> Read(string text, string sid)
    {
        var messages = new List<string>();
        for (int at = 0; at < text.Length;)
        {
            Match match = (text[at] == 'H' ? HeaderMessageForm : MessageForm).Match(text, at);
            Assert.True(match.Success && match.Index == at, $"at {at}: {text[at..Math.Min(text.Length, at + 80)]}");
            Assert.Equal(sid, match.Groups["sid"].Value);
            string body = match.Groups["body"].Value;
            Assert.Equal(body.Length + (text[at] == 'H' ? 18 : 0), int.Parse(match.Groups["size"].Value, CultureInfo.InvariantCulture));
            messages.Add($"{match.Groups["subject"].Value} {body}");
            at += match.Length;
        }

        return messages;
    }
}
