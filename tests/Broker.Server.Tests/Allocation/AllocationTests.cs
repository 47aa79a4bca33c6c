using System.Net.Sockets;
using System.Text;
using Broker.Server.Tests.Harness;
using Broker.Transport;

namespace Broker.Server.Tests.Allocation;

public sealed class AllocationTests(AllocationTests.Dialogues dialogues) : IClassFixture<AllocationTests.Dialogues>
{
    private const int Batch = 250;
    private const int Messages = 200_000;
    private const int Attempts = 3;
    private const int Tolerance = 8 * 1024;

    // Blocks move between loops, and the pool of each loop fills up to its limit. The limit here is less than half of
    // 32 bytes for each message.
    private const int PoolTolerance = 6 * 1024 * 1024;
    private const string Block = "NATS/1.0\r\nA: b\r\n\r\n";

    // The name, the first lines of the publisher and of each subscriber, a message, the part of it that a subscriber
    // receives, the part that the publisher receives, and the answer of the first subscriber.
    public static TheoryData<string, string, string[], string, string, string, string> Ways => new()
    {
        { "one to one", "", ["SUB a 1\r\n"], "PUB a 5\r\nhello\r\n", "MSG a 1 5\r\nhello\r\n", "", "" },
        { "one to one, sampled", "", ["SUB a 1\r\n"], "PUB a 5\r\nhello\r\n", "MSG a 1 5\r\nhello\r\n", "", "" },
        { "long sid", "", ["SUB a 1234567890123\r\n"], "PUB a 5\r\nhello\r\n", "MSG a 1234567890123 5\r\nhello\r\n", "", "" },
        { "one to four", "", ["SUB a 1\r\n", "SUB a 1\r\n", "SUB * 1\r\n", "SUB > 1\r\n"], "PUB a 5\r\nhello\r\n", "MSG a 1 5\r\nhello\r\n", "", "" },
        { "to oneself", "SUB a 1\r\n", [], "PUB a 5\r\nhello\r\n", "", "MSG a 1 5\r\nhello\r\n", "" },
        { "queue", "", ["SUB a q 1\r\nSUB a q 2\r\nSUB * q 3\r\n"], "PUB a 5\r\nhello\r\n", "MSG a 1 5\r\nhello\r\n", "", "" },
        { "headers", "", ["SUB a 1\r\n"], $"HPUB a 18 23\r\n{Block}hello\r\n", $"HMSG a 1 18 23\r\n{Block}hello\r\n", "", "" },
        { "two subjects in turn", "", ["SUB * 1\r\n"], "PUB a 1\r\nx\r\nPUB b 1\r\ny\r\n", "MSG a 1 1\r\nx\r\nMSG b 1 1\r\ny\r\n", "", "" },
        {
            "subjects, sizes and replies in turn", "", ["SUB a.> 1\r\n"],
            "PUB a.1 1\r\nx\r\nPUB a.22 r.1 22\r\nxxxxxxxxxxxxxxxxxxxxxx\r\nPUB a.b.3 r.22 2\r\nxx\r\nPUB a.4444 0\r\n\r\n",
            "MSG a.1 1 1\r\nx\r\nMSG a.22 1 r.1 22\r\nxxxxxxxxxxxxxxxxxxxxxx\r\nMSG a.b.3 1 r.22 2\r\nxx\r\nMSG a.4444 1 0\r\n\r\n", "", ""
        },
        { "tabs and doubled spaces", "", ["SUB a 1\r\n"], "PUB\ta  5\r\nhello\r\n", "MSG a 1 5\r\nhello\r\n", "", "" },
        { "nobody", "", [], "PUB a 5\r\nhello\r\n", "", "", "" },
        { "with a limit", "", ["SUB a 1\r\nUNSUB 1 900000000\r\n"], "PUB a 5\r\nhello\r\n", "MSG a 1 5\r\nhello\r\n", "", "" },
        { "request and reply", "SUB i.* 1\r\n", ["SUB svc 1\r\n"], "PUB svc i.1 2\r\nhi\r\n", "MSG svc 1 i.1 2\r\nhi\r\n", "MSG i.1 1 2\r\nyo\r\n", "PUB i.1 2\r\nyo\r\n" },
        { "no responders", "SUB i.* 1\r\n", [], "PUB svc i.1 2\r\nhi\r\n", "", "HMSG i.1 1 16 16\r\nNATS/1.0 503\r\n\r\n\r\n", "" },
    };

    [Theory]
    [MemberData(nameof(Ways))]
    public void A_message_allocates_nothing(
        string way, string publisherSays, string[] subscribersSay, string message, string heard, string answered, string answer)
    {
        foreach (int loops in LoopsOf(way))
        {
            Dialogue dialogue = dialogues.Of(way, loops);
            RawClient publisher = dialogue.Publisher;
            RawClient[] subscribers = dialogue.Subscribers;
            publisher.Send(publisherSays);
            publisher.Sync();
            for (int i = 0; i < subscribers.Length; i++)
            {
                subscribers[i].Send(subscribersSay[i]);
                subscribers[i].Sync();
            }

            byte[] batch = Encoding.Latin1.GetBytes(string.Concat(Enumerable.Repeat(message, Batch)) + "PING\r\n");
            byte[] answers = Encoding.Latin1.GetBytes(string.Concat(Enumerable.Repeat(answer, Batch)));
            byte[] scratch = new byte[64 * 1024];
            Socket from = publisher.Socket;
            Socket[] to = [.. subscribers.Select(s => s.Socket)];
            long Run(int messages)
            {
                long before = GC.GetTotalAllocatedBytes(precise: true);
                for (int i = 0; i < messages; i += Batch)
                {
                    Send(from, batch);
                    foreach (Socket socket in to)
                    {
                        Drop(socket, heard.Length * Batch, scratch);
                    }

                    if (answers.Length != 0)
                    {
                        Send(to[0], answers);
                    }

                    Drop(from, (answered.Length * Batch) + "PONG\r\n".Length, scratch);
                }

                return GC.GetTotalAllocatedBytes(precise: true) - before;
            }

            Run(Messages / 4);
            long once = 0;
            long twice = 0;
            bool isNothing = false;
            // An allocation for each message would occur in every round. A block that a pool creates when a peer is
            // first delayed would not.
            for (int attempt = 0; attempt < Attempts && !isNothing; attempt++)
            {
                once = Run(Messages);
                twice = Run(Messages * 2);
                isNothing = loops == 1 ? Math.Abs(twice - once) <= Tolerance && twice <= 2 * Tolerance : twice <= PoolTolerance;
            }

            Assert.True(isNothing, $"{way}, {loops} loops: {once} bytes, then {twice} for twice as many");
        }
    }

    private static int[] LoopsOf(string way) => way is "one to one" or "request and reply" ? [1, 2] : [1];

    private static void Send(Socket socket, ReadOnlySpan<byte> bytes)
    {
        while (!bytes.IsEmpty)
        {
            bytes = bytes[socket.Send(bytes)..];
        }
    }

    private static void Drop(Socket socket, int count, byte[] scratch)
    {
        while (count > 0)
        {
            // A receive that waits allocates in the test's client. A receive with available bytes does not.
            Assert.True(socket.Poll(Wait.Limit, SelectMode.SelectRead));
            int got = socket.Receive(scratch.AsSpan(0, Math.Min(count, scratch.Length)));
            // Other assertions allocate.
            Assert.True(got > 0);
            count -= got;
        }
    }

    /// <summary>
    /// The servers and connections of all cases at once: the servers send their first PINGs seconds after CONNECT, so
    /// the test waits for them only once.
    /// </summary>
    public sealed class Dialogues : IAsyncLifetime
    {
        private readonly Dictionary<(string Way, int Loops), Dialogue> _all = [];

        internal Dialogue Of(string way, int loops) => _all[(way, loops)];

        public async ValueTask InitializeAsync()
        {
            foreach (TheoryDataRow<string, string, string[], string, string, string, string> way in Ways)
            {
                foreach (int loops in LoopsOf(way.Data.Item1))
                {
                    _all[(way.Data.Item1, loops)] = await Dialogue.OpenAsync(
                        way.Data.Item3.Length, loops, way.Data.Item1.EndsWith("sampled", StringComparison.Ordinal) ? 3 : 0);
                }
            }

            foreach (Dialogue dialogue in _all.Values)
            {
                dialogue.AnswerFirstPings();
            }
        }

        public async ValueTask DisposeAsync()
        {
            foreach (Dialogue dialogue in _all.Values)
            {
                await dialogue.DisposeAsync();
            }
        }
    }

    internal sealed record Dialogue(BrokerServer Server, RawClient Publisher, RawClient[] Subscribers) : IAsyncDisposable
    {
        internal static async Task<Dialogue> OpenAsync(int subscribers, int loops, int sampleSubjects)
        {
            BrokerServer server = await Servers.StartAsync(o =>
            {
                o.LoopOptions = new EventLoopOptions { Loops = loops };
                o.PingInterval = TimeSpan.FromHours(1);
                o.SampleSubjects = sampleSubjects;
            });
            return new Dialogue(
                server,
                RawClient.Open(server, RawClient.WithHeaders),
                [.. Enumerable.Range(0, subscribers).Select(_ => RawClient.Open(server, RawClient.WithHeaders))]);
        }

        internal void AnswerFirstPings()
        {
            foreach (RawClient client in Subscribers.Append(Publisher))
            {
                Assert.Equal("PING\r\n", client.ReadLine());
                client.Send("PONG\r\n");
            }
        }

        public ValueTask DisposeAsync()
        {
            Publisher.Dispose();
            Array.ForEach(Subscribers, s => s.Dispose());
            return Server.DisposeAsync();
        }
    }
}
