using System.Globalization;
using System.Text;

namespace Broker.TestKit.Dialogues;

/// <summary>
/// A random dialogue: the operations that some clients send to a server one after another, valid or not.
/// </summary>
/// <param name="Name">A name for the way in which the clients connect.</param>
/// <param name="Clients">The number of clients.</param>
/// <param name="Steps">The writes of the clients.</param>
public sealed record FuzzDialogue(string Name, int Clients, IReadOnlyList<FuzzDialogue.Step> Steps)
{
    /// <summary>The user that may reply to requests.</summary>
    public const string Answering = "answers";

    private const int MostClients = 7;
    private const string NobodyAnswers = "|NATS/1.0 503\r\n\r\n\r\n";

    // The initial read buffer of nats-server for a client in bytes, and the maximum size of a WebSocket frame header.
    private const int TheirSmallestRead = 64 - 8;

    private static readonly string[] Subjects = ["a", "b", "a.b", "a.c", "a.b.c", "A", "_INBOX.x"];
    private static readonly string[] Filters = ["a", "b", "*", "a.*", "a.>", ">", "*.b", "a.b", "*.*.c", "_INBOX.>", "A"];
    private static readonly string[] BadSubjects = ["a..b", ".a", "a.", "a.>.b", ".", "a b c d"];
    private static readonly string[] BadLines =
    [
        "PUX a 1\r\nx\r\n", "SUB\r\n", "SUB a\r\n", "UNSUB\r\n", "PUB a\r\n", "PUB a -1\r\n", "PUB a x\r\n\r\n", "HPUB a 5\r\n", "\r\n", "FOO\r\n",
        "SUB a b c d\r\n",
        "PUB a 3\r\nhello\r\n", "PUB a 1048577\r\n", "CONNECT {\r\n", "CONNECT []\r\n",
        "+OK\r\n", "+ok more\r\n", "+O\r\n", "INFO {}\r\n", "info null\n", "INFO []\r\n", "INFO\r\n", "-ERR 'x'\r\n", "-ERR\r\n",
    ];

    /// <summary>One write of one client.</summary>
    /// <param name="Client">The index of the client.</param>
    /// <param name="Text">The text; null to close the connection and open a new one.</param>
    /// <param name="Manner">A number that determines how the text is split into writes; null for one write.</param>
    public sealed record Step(int Client, string? Text, int? Manner);

    /// <summary>The users that a dialogue may use. The password of a user is its name.</summary>
    public static IReadOnlyList<string> Users { get; } = ["all", "few", "most", Answering];

    /// <summary>Creates a dialogue. The same seed creates the same dialogue.</summary>
    /// <param name="seed">The seed.</param>
    /// <param name="name">The value of <see cref="Name"/>.</param>
    /// <param name="hasUsers">Whether clients authenticate as one of <see cref="Users"/>.</param>
    /// <param name="mostAtOnce">
    /// The maximum number of operations in one write. Two messages that are published together count as one.
    /// </param>
    public static FuzzDialogue Create(int seed, string name, bool hasUsers = false, int mostAtOnce = 1)
    {
        var random = new Random(seed);
        int clients = random.Next(2, MostClients + 1);
        var steps = new List<Step>();
        bool[] connected = new bool[clients];
        bool[] headers = new bool[clients];
        bool[] asks = [.. Enumerable.Repeat(true, clients)];
        for (int left = 4 + random.Next(26 + (4 * clients)); left > 0; left--)
        {
            int client = random.Next(clients);
            if (!connected[client] && random.Next(5) != 0)
            {
                connected[client] = true;
                headers[client] = random.Next(2) == 0;
                string connect = Connect(random, hasUsers, headers[client]);
                asks[client] = !connect.Contains($"\"user\":\"{Answering}\"", StringComparison.Ordinal);
                steps.Add(new Step(client, connect, Manner(random)));
            }
            else if (random.Next(25) == 0)
            {
                connected[client] = headers[client] = false;
                asks[client] = true;
                steps.Add(new Step(client, null, null));
            }
            else
            {
                var says = new StringBuilder();
                for (int operations = random.Next(1, mostAtOnce + 1); operations > 0; operations--)
                {
                    string operation = Say(random, client, headers[client], asks[client]);
                    says.Append(operation);
                    if (operation.StartsWith("-ERR", StringComparison.Ordinal))
                    {
                        // Both servers close the connection for this. nats-server may handle some of the following
                        // operations before; this server handles none.
                        break;
                    }
                }

                steps.Add(new Step(client, says.ToString(), Manner(random)));
            }
        }

        return new FuzzDialogue(name, clients, steps);
    }

    /// <summary>
    /// Runs the dialogue and returns for each step what each client received, sorted, and which connections are closed.
    /// </summary>
    /// <param name="open">Connects a client and reads INFO.</param>
    public string Play(Func<IFuzzClient> open)
    {
        var heard = new StringBuilder();
        var clients = new IFuzzClient?[Clients];
        try
        {
            for (int i = 0; i < Clients; i++)
            {
                clients[i] = open();
            }

            for (int number = 0; number < Steps.Count; number++)
            {
                Step step = Steps[number];
                if (step.Text is null)
                {
                    clients[step.Client]?.Dispose();
                    clients[step.Client] = open();
                }
                else
                {
                    clients[step.Client]?.Say(step.Text, step.Manner);
                }

                Hear(clients, step, heard, number);
            }

            return heard.ToString();
        }
        finally
        {
            Array.ForEach(clients, c => c?.Dispose());
        }
    }

    public override string ToString()
        => $"{Name}, {Clients} clients\n" + string.Concat(Steps.Select((s, i) => string.Create(
            CultureInfo.InvariantCulture,
            $"{i} {(char)('A' + s.Client)}{(s.Manner is { } manner ? $" in pieces by {manner}" : "")}: {s.Text?.Replace("\r", "\\r", StringComparison.Ordinal).Replace("\n", "\\n", StringComparison.Ordinal) ?? "goes and comes"}\n")));

    // PINGs detect when everything has arrived. The sending client gets two PINGs: the server reads the second one
    // after it has delivered the operations to the others. The other clients get two PINGs too: the reply to the first
    // may come in the iteration in which the messages arrive.
    private void Hear(IFuzzClient?[] clients, Step step, StringBuilder heard, int number)
    {
        var frames = new List<string>[Clients];
        for (int i = 0; i < Clients; i++)
        {
            frames[i] = [];
        }

        Settle(clients, step.Client, frames);
        Settle(clients, step.Client, frames);
        for (int i = 0; i < 2 * Clients; i++)
        {
            Settle(clients, i % Clients, frames);
        }

        for (int i = 0; i < Clients; i++)
        {
            frames[i].Sort(StringComparer.Ordinal);
            if (i == step.Client && (step.Manner is not null || step.Text?.Length > TheirSmallestRead))
            {
                JoinRepeated(frames[i]);
            }

            frames[i].ForEach(f => heard.Append(CultureInfo.InvariantCulture, $"{number} {(char)('A' + i)}: {f}\n"));
        }
    }

    private static void Settle(IFuzzClient?[] clients, int index, List<string>[] frames)
    {
        if (clients[index] is { } client && !Read(client, frames[index]))
        {
            client.Dispose();
            clients[index] = null;
            // If a connection is reset, the last error may be lost, so one of the two servers may report an error and
            // the other nothing.
            frames[index].Clear();
            frames[index].Add("<closed>");
        }
    }

    // nats-server reports an invalid subject twice if it reads the publish in two parts.
    private static void JoinRepeated(List<string> sorted)
    {
        const string Invalid = "-ERR 'Invalid Publish Subject'";
        int first = sorted.IndexOf(Invalid);
        if (first >= 0)
        {
            sorted.RemoveRange(first + 1, sorted.LastIndexOf(Invalid) - first);
        }
    }

    // Reads up to the PONG. Returns false at the end of the stream.
    private static bool Read(IFuzzClient client, List<string> frames)
    {
        client.Say("PING\r\n", null);
        while (true)
        {
            string line = client.ReadLine();
            switch (line)
            {
                case "":
                    return false;
                case "PONG\r\n":
                    return client.TryReadBeside(frames);
                case "PING\r\n":
                    continue;
            }

            string text = line.TrimEnd();
            if (text.StartsWith("MSG ", StringComparison.Ordinal) || text.StartsWith("HMSG ", StringComparison.Ordinal))
            {
                int size = int.Parse(text[(text.LastIndexOf(' ') + 1)..], CultureInfo.InvariantCulture);
                text += "|" + Encoding.Latin1.GetString(client.ReadBytes(size + 2));
                if (text.EndsWith(NobodyAnswers, StringComparison.Ordinal))
                {
                    // In nats-server it is random by which of its subscriptions a client receives this status.
                    string[] words = text.Split(' ');
                    words[2] = "*";
                    text = string.Join(' ', words);
                }
            }

            if (!text.StartsWith("INFO", StringComparison.Ordinal))
            {
                frames.Add(text);
            }
        }
    }

    private static string Connect(Random random, bool hasUsers, bool headers)
    {
        string Flag(string name, bool? value = null) => string.Create(CultureInfo.InvariantCulture, $"\"{name}\":{((value ?? random.Next(2) == 0) ? "true" : "false")}");
        string more = random.Next(3) == 0 ? "," + Flag("echo") : "";
        more += headers && random.Next(2) == 0 ? "," + Flag("no_responders", true) : "";
        more += random.Next(3) == 0 ? ",\"protocol\":1,\"name\":\"fuzz\"" : "";
        if (hasUsers && random.Next(20) != 0)
        {
            string user = Users[random.Next(Users.Count)];
            more += $",\"user\":\"{user}\",\"pass\":\"{(random.Next(20) == 0 ? "wrong" : user)}\"";
        }

        return $"CONNECT {{{Flag("verbose", random.Next(4) == 0)},{Flag("pedantic", random.Next(4) == 0)},{Flag("headers", headers)}{more}}}\r\n";
    }

    private static string Say(Random random, int client, bool headers, bool asks)
    {
        string sid = random.Next(10) == 0 ? "s" + random.Next(3) : random.Next(1, 6).ToString(CultureInfo.InvariantCulture);
        switch (random.Next(12))
        {
            case 0 or 1 or 2:
                string filter = random.Next(15) == 0 ? Pick(random, BadSubjects) : Pick(random, Filters);
                // Each queue group has one member, so the chosen member is always the same.
                string queue = random.Next(4) == 0 ? $" q{client}{sid}{random.Next(1000)}" : "";
                return Verb(random, "SUB") + $" {filter}{queue} {sid}\r\n";
            case 3:
                return Verb(random, "UNSUB") + $" {sid}{(random.Next(2) == 0 ? " " + random.Next(1, 5) : "")}\r\n";
            case 4 or 5 or 6 or 7 or 8:
                return Publish(random, headers && random.Next(2) == 0, asks);
            case 9 or 10:
                return "PONG\r\n";
            default:
                return random.Next(6) == 0 ? Pick(random, BadLines) : Publish(random, false, asks) + Publish(random, false, asks);
        }
    }

    // The user that may reply sends no requests: with nats-server it could grant itself the permission, see
    // SelfGrantTests.
    private static string Publish(Random random, bool headers, bool asks)
    {
        string subject = random.Next(25) == 0 ? Pick(random, BadSubjects) : Pick(random, Subjects);
        string reply = asks && random.Next(3) == 0 ? " " + Pick(random, Subjects) : "";
        string body = new((char)('a' + random.Next(26)), random.Next(random.Next(20) == 0 ? 600 : 8));
        string space = random.Next(20) == 0 ? "  " : " ";
        if (!headers)
        {
            return Verb(random, "PUB") + $" {subject}{reply}{space}{body.Length}\r\n{body}\r\n";
        }

        string block = random.Next(3) == 0 ? "NATS/1.0\r\n\r\n" : "NATS/1.0\r\nA: b\r\n\r\n";
        return Verb(random, "HPUB") + $" {subject}{reply} {block.Length}{space}{block.Length + body.Length}\r\n{block}{body}\r\n";
    }

    private static int? Manner(Random random) => random.Next(4) == 0 ? random.Next() : null;

    private static string Verb(Random random, string verb) => random.Next(10) == 0 ? verb.ToLowerInvariant() : verb;

    private static string Pick(Random random, string[] from) => from[random.Next(from.Length)];
}
