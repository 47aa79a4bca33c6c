using System.Text;
using Broker.Server.Tests.Harness;
using static Broker.Server.Tests.Accounts.Accounts;

namespace Broker.Server.Tests.Accounts;

/// <summary>No parser reads a header of a client as the server's own header about the requester.</summary>
public sealed class RequestInfoTests
{
    private const string Fake = "{\"acc\":\"ADMIN\"}";

    public static TheoryData<string> Forgeries => new(
        "X: y\nNats-Request-Info: " + Fake + "\r\n",
        "X: y\rNats-Request-Info: " + Fake + "\r\n",
        "X: y\r\n\tNats-Request-Info: " + Fake + "\r\n",
        "X: y\r\n Nats-Request-Info: " + Fake + "\r\n",
        " Nats-Request-Info: " + Fake + "\r\n",
        "Nats-Request-Info : " + Fake + "\r\n",
        "Nats-Request-Info\t: " + Fake + "\r\n",
        "nats-request-info: " + Fake + "\r\n",
        "Nats-Request-Info:\r\n " + Fake + "\r\n",
        "Nats-Request-Info\r\n : " + Fake + "\r\n",
        "\u0000Nats-Request-Info: " + Fake + "\r\n",
        "\u000bNats-Request-Info: " + Fake + "\r\n",
        "X: y\u000bNats-Request-Info: " + Fake + "\r\n",
        "X: y\u001cNats-Request-Info: " + Fake + "\r\n",
        "\u00a0Nats-Request-Info\u00a0: " + Fake + "\r\n",
        "\u00ef\u00bb\u00bfNats-Request-Info: " + Fake + "\r\n",
        "X: y\r\r\nNats-Request-Info: " + Fake + "\r\n",
        "\rNats-Request-Info: " + Fake + "\r\n",
        "\nNats-Request-Info: " + Fake + "\r\n",
        "X: y\n\nNats-Request-Info: " + Fake + "\r\n",
        "X: y\r\n\r\nNats-Request-Info: " + Fake + "\r\n");

    [Theory]
    [MemberData(nameof(Forgeries))]
    public async Task A_header_of_a_client_cannot_replace_the_servers_header(string headers)
    {
        await using BrokerServer server = await StartAsync(
            Account("A", "a", [new ServiceExport("q")]), Account("B", "b", imports: [new ServiceImport("A", "q")]));
        using RawClient a = Client(server, "a", "SUB q 1\r\n");
        using RawClient b = Client(server, "b");
        foreach (string block in new[] { "NATS/1.0\r\n" + headers + "\r\n", "NATS/1.0\r\nA: b\r\n" + headers + "C: d\r\n\r\n", "NATS/1.0\n" + headers + "\r\n" })
        {
            Say(b, $"HPUB q {block.Length} {block.Length + 2}\r\n{block}hi\r\n");
            (string[] words, byte[] payload) = a.ReadMessage();
            string sent = Encoding.Latin1.GetString(payload, 0, int.Parse(words[^2], null));
            foreach (List<(string Name, string Value)> read in Readers.Select(reader => reader(sent)))
            {
                (_, string value) = Assert.Single(read, h => h.Name.Equals("Nats-Request-Info", StringComparison.OrdinalIgnoreCase));
                Assert.StartsWith("{\"acc\":\"B\"", value, StringComparison.Ordinal);
            }
        }
    }

    [Fact]
    public async Task An_import_that_shares_its_clients_names_them_as_nats_server_does()
    {
        await using BrokerServer server = await Servers.StartAsync(o =>
        {
            o.ServerName = "one";
            o.Accounts =
            [
                Account("A", "a", [new ServiceExport("q"), new ServiceExport("r")]),
                Account("B", "b", imports: [new ServiceImport("A", "q") { Share = true }, new ServiceImport("A", "r")]),
            ];
        });
        using RawClient a = Client(server, "a", "SUB > 1\r\n");
        using RawClient b = Client(server, "b", "", ",\"name\":\"b \\r\\n\\\"x\\u00e9\",\"lang\":\"py\",\"version\":\"1.2\"");
        Say(b, "PUB q 2\r\nhi\r\nPUB r 2\r\nhi\r\n");
        Assert.Matches(
            """^NATS/1\.0\r\nNats-Request-Info: \{"start":"20\d\d-\d\d-\d\dT[\d:.]+Z","host":"127\.0\.0\.1","id":\d+,"acc":"B","user":"b","name":"b \\r\\n\\u0022x\\u00E9","lang":"py","ver":"1\.2","rtt":\d+,"server":"one","kind":"Client","client_type":"nats"\}\r\n\r\nhi$""",
            Encoding.Latin1.GetString(a.ReadMessage().Payload));
        Assert.Matches("""^NATS/1\.0\r\nNats-Request-Info: \{"acc":"B","rtt":\d+\}\r\n\r\nhi$""", Encoding.Latin1.GetString(a.ReadMessage().Payload));
        Assert.Equal(
            ["q: True", "r: False"],
            server.InspectAccounts().Single(account => account.Name == "B").Imports.Select(import => $"{import.Subject}: {import.Share}"));
    }

    // The fields are read again after each CONNECT.
    [Fact]
    public async Task A_shared_client_that_connects_again_as_another_user_is_named_anew()
    {
        await using BrokerServer server = await StartAsync(
            Account("A", "a", [new ServiceExport("q")]), Account("B", "b b2", imports: [new ServiceImport("A", "q") { Share = true }]));
        using RawClient a = Client(server, "a", "SUB > 1\r\n");
        using RawClient b = Client(server, "b");
        Say(b, "PUB q 0\r\n\r\n" + As("b2") + "PUB q 0\r\n\r\n");
        Assert.Contains("\"user\":\"b\"", Encoding.Latin1.GetString(a.ReadMessage().Payload), StringComparison.Ordinal);
        Assert.Contains("\"user\":\"b2\"", Encoding.Latin1.GetString(a.ReadMessage().Payload), StringComparison.Ordinal);
    }

    [Fact]
    public void No_parser_reads_a_random_header_as_the_servers_and_copied_headers_do_not_grow()
    {
        int seed = Seed.Next();
        var random = new Random(seed);
        string[] pieces = ["\r\n", "\r", "\n", " ", "\t", ":", ": ", "\r\nA: b\r\n", "Nats-Request-Info", "nats-request-info", "X", "y", "Nats-Request", "-Info", "\u000b", "\u0085", "NATS/1.0"];
        for (int round = 0; round < 20_000; round++)
        {
            string block = "NATS/1.0" + string.Concat(Enumerable.Range(0, random.Next(14)).Select(_ => pieces[random.Next(pieces.Length)])) + "\r\n\r\n";
            byte[] copied = new byte[block.Length];
            int length = RequestInfo.CopyHeaders(copied, Encoding.Latin1.GetBytes(block));
            string sent = Encoding.Latin1.GetString(copied, 0, length);
            Assert.True(length == 0 || sent.EndsWith("\r\n", StringComparison.Ordinal), $"seed {seed}, round {round}");
            string whole = (length == 0 ? "NATS/1.0\r\n" : sent) + "Nats-Request-Info: ours\r\n\r\n";
            foreach (Func<string, List<(string Name, string Value)>> reader in Readers)
            {
                Assert.True(
                    reader(whole).Where(h => h.Name.Equals("Nats-Request-Info", StringComparison.OrdinalIgnoreCase)).Select(h => h.Value).SequenceEqual(["ours"]),
                    $"seed {seed}, round {round}: {block}");
            }
        }
    }

    [Theory]
    [InlineData("NATS/1.0\r\nA: b\r\nC:d\r\n\r\n", "NATS/1.0\r\nA: b\r\nC:d\r\n")]
    [InlineData("NATS/1.0\r\nA: b\r\nNats-Request-Info: x\r\nC: d\r\n\r\n", "NATS/1.0\r\nA: b\r\nC: d\r\n")]
    [InlineData("NATS/1.0 503 No Responders\r\nA: b\r\n\r\n", "NATS/1.0 503 No Responders\r\nA: b\r\n")]
    [InlineData("NATS/1.0\r\nA: b\r\n c\r\n\r\n", "NATS/1.0\r\nA: b   c\r\n")]
    [InlineData("NATS/1.0\r\nA: b\tc\r\nNats-Request-Info-2: x\r\n\r\n", "NATS/1.0\r\nA: b\tc\r\nNats-Request-Info-2: x\r\n")]
    [InlineData("NATS/1.0\r\n\r\n", "NATS/1.0\r\n")]
    [InlineData("NATS/1.1", "")]
    public void Other_headers_are_forwarded_unchanged(string block, string expected)
    {
        byte[] copied = new byte[block.Length];
        Assert.Equal(expected, Encoding.Latin1.GetString(copied, 0, RequestInfo.CopyHeaders(copied, Encoding.Latin1.GetBytes(block))));
    }

    // How libraries parse headers: line ends, folded lines, and characters that they remove from names.
    private static IEnumerable<Func<string, List<(string Name, string Value)>>> Readers
        => from ends in new[] { new[] { "\r\n" }, ["\n"], ["\r\n", "\n", "\r"], ["\r\n", "\n", "\r", "\v", "\f", "\u001c", "\u001d", "\u001e"] }
           from unfolds in new[] { false, true }
           from stopsAtEmpty in new[] { false, true }
           from trims in new[] { false, true }
           select new Func<string, List<(string, string)>>(text => Read(text, ends, unfolds, stopsAtEmpty, trims));

    private static List<(string Name, string Value)> Read(string text, string[] ends, bool unfolds, bool stopsAtEmpty, bool trims)
    {
        var headers = new List<(string Name, string Value)>();
        foreach (string line in text.Split(ends, StringSplitOptions.None).Skip(1))
        {
            if (line.Trim().Length == 0)
            {
                if (stopsAtEmpty)
                {
                    return headers;
                }

                continue;
            }

            if (unfolds && char.IsWhiteSpace(line[0]) && headers.Count > 0)
            {
                headers[^1] = (headers[^1].Name, headers[^1].Value + line);
                continue;
            }

            string[] parts = line.Split(':', 2);
            string name = trims ? parts[0].Trim(' ', '\t', '\r', '\n', '\v', '\f', '\0', '\u00a0', '\u0085') : parts[0];
            headers.Add((name, parts.Length == 1 ? "" : parts[1].Trim()));
        }

        return headers;
    }
}
