using System.Text.RegularExpressions;
using Broker.Server.Tests.Harness;
using static Broker.Server.Tests.Accounts.Accounts;

namespace Broker.Server.Tests.Accounts;

public sealed class ServiceImportTests
{
    private static Task<BrokerServer> PairAsync(ServiceExport export, ServiceImport import)
        => StartAsync(Account("A", "a a2", [export]), Account("B", "b b2", imports: [import]));

    // The reply subject of a request that a responder received.
    private static string ReplyOf(string heard) => Regex.Match(heard, @"_R_\.\S+", RegexOptions.None, TimeSpan.FromSeconds(1)).Value;

    [Theory]
    [InlineData("q", "q", null, "q", "q")]
    [InlineData("q", "q", "there.q", "there.q", "q")]
    [InlineData("w.*.*", "w.*.*", "l.$2.$1", "l.1.2", "w.2.1")]
    [InlineData("w.>", "w.>", "l.>", "l.1.2", "w.1.2")]
    [InlineData("w.*", "w.x", "l", "l", "w.x")]
    public async Task A_request_goes_there_and_its_answer_comes_back(string exported, string subject, string? to, string published, string heard)
    {
        await using BrokerServer server = await PairAsync(new ServiceExport(exported), new ServiceImport("A", subject) { To = to });
        using RawClient a = Client(server, "a", "SUB > 1\r\n");
        using RawClient b = Client(server, "b", "SUB in.* 2\r\n");
        Assert.Equal("", Say(b, $"PUB {published} in.1 2\r\nhi\r\n"));
        string request = a.Sync();
        string reply = ReplyOf(request);
        Assert.Matches($$"""^HMSG {{Regex.Escape(heard)}} 1 _R_\.[0-9A-F]{8}\.[-_A-Za-z0-9]{22} \d+ \d+\r\nNATS/1\.0\r\nNats-Request-Info: \{"acc":"B","rtt":\d+\}\r\n\r\nhi\r\n$""", request);
        Say(a, $"PUB {reply} 2\r\nho\r\nPUB {reply} 2\r\nhu\r\n");
        Assert.Equal("MSG in.1 2 2\r\nho\r\n", b.Sync());
        // A request without a reply subject is an ordinary message.
        Say(b, $"PUB {published} 2\r\nhi\r\n");
        Assert.Contains("MSG " + heard + " 1 ", a.Sync().Split("HU")[0], StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(ServiceResponse.Once, "1")]
    [InlineData(ServiceResponse.Stream, "1 2 e")]
    [InlineData(ServiceResponse.Chunked, "1 2 e")]
    public async Task The_response_type_limits_the_number_of_replies(ServiceResponse response, string expected)
    {
        await using BrokerServer server = await PairAsync(new ServiceExport("q") { Response = response }, new ServiceImport("A", "q"));
        using RawClient a = Client(server, "a", "SUB q 1\r\n");
        using RawClient a2 = Client(server, "a2", "SUB q 1\r\n");
        using RawClient b = Client(server, "b", "SUB in 2\r\n");
        Say(b, "PUB q in 0\r\n\r\n");
        string reply = ReplyOf(a.Sync());
        // Both responders received the same reply subject.
        Assert.Equal(reply, ReplyOf(a2.Sync()));
        Say(a, $"PUB {reply} 1\r\n1\r\n");
        Say(a2, $"PUB {reply} 1\r\n2\r\n");
        Say(a, $"PUB {reply} 0\r\n\r\n");
        Say(a2, $"PUB {reply} 1\r\n3\r\n");
        string heard = b.Sync().Replace("MSG in 2 0\r\n\r\n", "e ", StringComparison.Ordinal);
        Assert.Equal(expected, Regex.Replace(heard, @"MSG in 2 1\r\n(.)\r\n", "$1 ", RegexOptions.None, TimeSpan.FromSeconds(1)).TrimEnd());
    }

    [Fact]
    public async Task A_requestor_is_told_when_nobody_is_there_to_answer()
    {
        await using BrokerServer server = await PairAsync(new ServiceExport("q"), new ServiceImport("A", "q"));
        using RawClient b = Client(server, "b", "SUB in 2\r\n");
        Assert.Equal("HMSG in 2 16 16\r\nNATS/1.0 503\r\n\r\n\r\n", Say(b, "PUB q in 0\r\n\r\n"));
        using (RawClient a = Client(server, "a", "SUB q 1\r\n"))
        {
            Assert.Equal("", Say(b, "PUB q in 0\r\n\r\n"));
        }

        await Wait.UntilAsync(() => server.Snapshot().Connections == 1, "the responder to have gone");
        Assert.Equal("HMSG in 2 16 16\r\nNATS/1.0 503\r\n\r\n\r\n", Say(b, "PUB q in 0\r\n\r\n"));
    }

    [Fact]
    public async Task A_chain_of_imports_is_followed_there_and_back()
    {
        await using BrokerServer server = await StartAsync(
            Account("A", "a", [new ServiceExport("q")]),
            Account("B", "b", [new ServiceExport("r")], [new ServiceImport("A", "q") { To = "r" }]),
            Account("C", "c", imports: [new ServiceImport("B", "r") { To = "s" }]));
        using RawClient a = Client(server, "a", "SUB q 1\r\n");
        using RawClient b = Client(server, "b", "SUB other 1\r\n");
        using RawClient c = Client(server, "c", "SUB in 2\r\n");
        Say(c, "PUB s in 2\r\nhi\r\n");
        string request = a.Sync();
        Assert.Contains("Nats-Request-Info: {\"acc\":\"C\",\"svc\":\"B\",\"rtt\":", request, StringComparison.Ordinal);
        Say(a, $"PUB {ReplyOf(request)} 2\r\nho\r\n");
        Assert.Equal("MSG in 2 2\r\nho\r\n", c.Sync());
        Assert.Equal("", b.Sync());
    }

    [Fact]
    public async Task A_responder_may_send_a_request_with_its_reply()
    {
        await using BrokerServer server = await PairAsync(new ServiceExport("q"), new ServiceImport("A", "q"));
        using RawClient a = Client(server, "a", "SUB q 1\r\nSUB back 3\r\n");
        using RawClient b = Client(server, "b", "SUB in 2\r\n");
        Say(b, "PUB q in 0\r\n\r\n");
        Say(a, $"PUB {ReplyOf(a.Sync())} back 1\r\n1\r\n");
        string answer = b.Sync();
        Assert.StartsWith("MSG in 2 _R_.", answer, StringComparison.Ordinal);
        Say(b, $"PUB {ReplyOf(answer)} 1\r\n2\r\n");
        Assert.Equal("MSG back 3 1\r\n2\r\n", a.Sync());
    }

    [Fact]
    public async Task A_clients_own_request_info_header_is_removed()
    {
        await using BrokerServer server = await PairAsync(new ServiceExport("q"), new ServiceImport("A", "q"));
        using RawClient a = Client(server, "a", "SUB q 1\r\n");
        using RawClient plain = Client(server, "a2", "SUB q 1\r\n", ",\"headers\":false,\"no_responders\":false");
        using RawClient b = Client(server, "b");
        foreach (string spoof in new[] { "NATS/1.0\r\nNats-Request-Info: fake\r\nA: b\r\n\r\n", "NATS/1.0\r\nA: b\r\nNATS-REQUEST-INFO:fake\r\n\r\n", "NATS/1.0\r\n\r\nNats-Request-Info: fake\r\n\r\n", "Nats-Request-Info: fake\r\n\r\n" })
        {
            Say(b, $"HPUB q {spoof.Length} {spoof.Length + 1}\r\n{spoof}x\r\n");
            string heard = a.Sync();
            Assert.DoesNotContain("fake", heard, StringComparison.Ordinal);
            Assert.Contains("Nats-Request-Info: {\"acc\":\"B\",\"rtt\":", heard, StringComparison.Ordinal);
            Assert.EndsWith("\r\n\r\nx\r\n", heard, StringComparison.Ordinal);
            Assert.Equal(spoof.Contains("A: b", StringComparison.Ordinal), heard.Contains("A: b\r\n", StringComparison.Ordinal));
            Assert.Equal("MSG q 1 1\r\nx\r\n", plain.Sync());
        }
    }

    [Fact]
    public async Task A_reply_is_accepted_only_from_the_account_that_received_the_request()
    {
        await using BrokerServer server = await StartAsync(
            Account("A", "a", [new ServiceExport("q")]), Account("B", "b b2", imports: [new ServiceImport("A", "q")]), Account("C", "c", [new ServiceExport("x")]),
            Account("D", "d", imports: [new ServiceImport("C", "x")]));
        using RawClient a = Client(server, "a", "SUB q 1\r\n");
        using RawClient b = Client(server, "b", "SUB in 2\r\n");
        Say(b, "PUB q in 0\r\n\r\n");
        string reply = ReplyOf(a.Sync());
        foreach (string other in new[] { "b2", "c", "d" })
        {
            using RawClient client = Client(server, other);
            Say(client, $"PUB {reply} 4\r\nfake\r\n");
        }

        string guess = reply[..^4] + "AAAA";
        Say(a, $"PUB {guess} 4\r\nfake\r\nPUB {reply}x 4\r\nfake\r\nPUB {reply[..^1]} 4\r\nfake\r\nPUB {reply}.x 4\r\nfake\r\n");
        Say(a, $"PUB {reply} 4\r\ntrue\r\n");
        Assert.Equal("MSG in 2 4\r\ntrue\r\n", b.Sync());
    }

    [Fact]
    public async Task A_late_answer_goes_nowhere()
    {
        await using BrokerServer server = await PairAsync(new ServiceExport("q") { ResponseTimeout = TimeSpan.FromMilliseconds(20) }, new ServiceImport("A", "q"));
        using RawClient a = Client(server, "a", "SUB q 1\r\n");
        using RawClient b = Client(server, "b", "SUB in 2\r\n");
        Say(b, "PUB q in 0\r\n\r\n");
        string reply = ReplyOf(a.Sync());
        await Wait.UntilAsync(() => server.ForwardedRequests == 0, "the request to be forgotten");
        Say(a, $"PUB {reply} 4\r\nlate\r\n");
        Assert.Equal("", b.Sync());
    }

    [Fact]
    public async Task A_responder_with_permissions_may_answer_by_leave()
    {
        var permissions = new Permissions { Subscribe = SubjectPermissions.Only("q"), Responses = new ResponsePermissions() };
        await using BrokerServer server = await StartAsync(
            new AccountOptions("A") { Users = [new User("a", "a", permissions)], Exports = [new ServiceExport("q")] },
            new AccountOptions("B")
            {
                Users = [new User("b", "b", new Permissions { Publish = SubjectPermissions.Only("l"), Subscribe = SubjectPermissions.Only("in") })],
                Imports = [new ServiceImport("A", "q") { To = "l" }],
            });
        using RawClient a = Client(server, "a", "SUB q 1\r\n");
        using RawClient b = Client(server, "b", "SUB in 2\r\n");
        Assert.Equal("-ERR 'Permissions Violation for Publish to \"q\"'\r\n", Say(b, "PUB q in 0\r\n\r\n"));
        Say(b, "PUB l in 0\r\n\r\n");
        string reply = ReplyOf(a.Sync());
        Assert.Equal($"-ERR 'Permissions Violation for Publish to \"{reply}\"'\r\n", Say(a, $"PUB {reply} 2\r\nho\r\nPUB {reply} 2\r\nhu\r\n"));
        Assert.Equal("MSG in 2 2\r\nho\r\n", b.Sync());
    }

    [Fact]
    public async Task A_chain_of_replies_ends()
    {
        await using BrokerServer server = await StartAsync(
            Account("A", "a", [new ServiceExport(">") { Response = ServiceResponse.Stream }]), Account("B", "b", imports: [new ServiceImport("A", ">") { To = "l.>" }]));
        using RawClient a = Client(server, "a", "SUB q 1\r\n");
        using RawClient b = Client(server, "b", "SUB in 2\r\n");
        string reply = "in";
        for (int i = 0; i < 5000; i++)
        {
            b.Send($"PUB l.q {reply} 0\r\n\r\n");
            reply = "l." + ReplyOf(string.Concat(a.ReadMessage().Words.Select(w => w + " ")));
        }

        Say(a, $"PUB {reply[2..]} 1\r\nx\r\n");
        Assert.Equal("", b.Sync());
    }

    [Fact]
    public async Task Requesters_that_disconnect_leave_nothing_behind()
    {
        await using BrokerServer server = await PairAsync(new ServiceExport("q"), new ServiceImport("A", "q"));
        using RawClient a = Client(server, "a", "SUB q 1\r\n");
        for (int i = 0; i < 20; i++)
        {
            using (RawClient b = Client(server, "b", "SUB in 2\r\n"))
            {
                Say(b, "PUB q in 0\r\n\r\n");
            }

            Assert.Equal("", Say(a, $"PUB {ReplyOf(a.Sync())} 1\r\nx\r\n"));
        }

        using RawClient last = Client(server, "b", "SUB in 2\r\n");
        Say(last, "PUB q in 0\r\n\r\n");
        Say(a, $"PUB {ReplyOf(a.Sync())} 1\r\nx\r\n");
        Assert.Equal("MSG in 2 1\r\nx\r\n", last.Sync());
    }
}
