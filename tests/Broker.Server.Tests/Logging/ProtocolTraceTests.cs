using System.Text;
using Broker.Server.Tests.Harness;
using Microsoft.Extensions.Logging;

namespace Broker.Server.Tests.Logging;

/// <summary>The protocol trace in the log, in nats-server's format.</summary>
public sealed class ProtocolTraceTests
{
    [Fact]
    public async Task Every_operation_is_one_line_with_the_clients_id_and_name()
    {
        var log = new LogCapture(LogLevel.Trace);
        await using BrokerServer server = await Servers.StartAsync(o => o.Logger = log);
        using var client = RawClient.Open(server, "CONNECT {\"verbose\":true,\"name\":\"x\",\"headers\":true}\r\n");
        client.Send("SUB a.* q 1\r\nSUB b 2\r\nUNSUB 2 5\r\nPUB a.b r 3\r\nabc\r\nHPUB b 12 14\r\nNATS/1.0\r\n\r\nhi\r\nNONSENSE\r\n");
        client.ReadToEnd();

        string[] lines = [.. log.All.Where(static l => l.Contains("- cid:", StringComparison.Ordinal))];
        Assert.All(lines, static l => Assert.Matches(@"^127\.0\.0\.1:\d+ - cid:\d+ - ", l));
        Assert.Equal(
            [
                "<<- [CONNECT {\"verbose\":true,\"name\":\"x\",\"headers\":true}]",
                "\"x\" - ->> [OK]",
                "\"x\" - <<- [SUB a.* q 1]",
                "\"x\" - ->> [OK]",
                "\"x\" - <<- [SUB b 2]",
                "\"x\" - ->> [OK]",
                "\"x\" - <<- [UNSUB 2 5]",
                "\"x\" - ->> [OK]",
                "\"x\" - <<- [PUB a.b r 3]",
                "\"x\" - <<- MSG_PAYLOAD: [\"abc\"]",
                "\"x\" - ->> [OK]",
                "\"x\" - ->> [MSG a.b 1 r 3]",
                "\"x\" - <<- [HPUB b 12 14]",
                "\"x\" - <<- MSG_PAYLOAD: [\"NATS/1.0\\r\\n\\r\\nhi\"]",
                "\"x\" - ->> [OK]",
                "\"x\" - ->> [HMSG b 2 12 14]",
                "\"x\" - ->> [-ERR Unknown Protocol Operation]",
            ],
            lines.Select(static l => l[(l.IndexOf(" - ", l.IndexOf("cid:", StringComparison.Ordinal), StringComparison.Ordinal) + 3)..]));
    }

    [Theory]
    [InlineData(5, "ab\\r\\nc...")]
    [InlineData(6, "ab\\r\\ncd")]
    [InlineData(0, "ab\\r\\ncd")]
    public async Task The_configured_part_of_a_payload_is_shown(int length, string shown)
    {
        var log = new LogCapture(LogLevel.Trace);
        await using BrokerServer server = await Servers.StartAsync(o =>
        {
            o.Logger = log;
            o.TracedPayload = 1;
        });
        using var client = RawClient.Open(server);
        client.Sync();
        await server.ReloadAsync(o => o.TracedPayload = length);
        client.Send("PUB a 6\r\nab\r\ncd\r\n");
        client.Sync();

        Assert.Contains(log.All, l => l.EndsWith($"<<- MSG_PAYLOAD: [\"{shown}\"]", StringComparison.Ordinal));
    }

    [Fact]
    public async Task The_whole_payload_is_shown_without_a_limit()
    {
        var log = new LogCapture(LogLevel.Trace);
        await using BrokerServer server = await Servers.StartAsync(o =>
        {
            o.Logger = log;
            o.TracedPayload = 0;
        });
        using var client = RawClient.Open(server);
        client.Send($"PUB a 100000\r\n{new string('x', 100_000)}\r\n");
        client.Sync();

        Assert.Contains(log.All, static l => l.EndsWith($"[\"{new string('x', 100_000)}\"]", StringComparison.Ordinal));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Messages_of_the_server_are_shown_if_that_is_configured(bool wanted)
    {
        var log = new LogCapture(LogLevel.Trace);
        await using BrokerServer server = await Servers.StartAsync(o =>
        {
            o.Logger = log;
            o.TraceSystemAccount = wanted;
            o.TracedPayload = 8;
            o.Users = [new User("a", "a")];
            o.Accounts = [new AccountOptions("$SYS") { Users = [new User("s", "s")] }];
        });
        using var watching = RawClient.Open(server, "CONNECT {\"verbose\":false,\"user\":\"s\",\"pass\":\"s\"}\r\nSUB $SYS.ACCOUNT.$G.CONNECT 1\r\n");
        watching.Sync();
        using var client = RawClient.Open(server, "CONNECT {\"verbose\":false,\"user\":\"a\",\"pass\":\"a\"}\r\n");
        client.Sync();
        Assert.StartsWith("MSG $SYS.ACCOUNT.$G.CONNECT 1 ", watching.ReadLine(), StringComparison.Ordinal);

        string[] said = [.. log.All.Where(static l => l.StartsWith("SYSTEM - ", StringComparison.Ordinal))];
        Assert.Equal(wanted ? 2 : 0, said.Length);
        Assert.All(said.Take(1), static l => Assert.Matches(@"^SYSTEM - <<- \[PUB \$SYS\.ACCOUNT\.\$G\.CONNECT \d+\]$", l));
        Assert.All(said.Skip(1), static l => Assert.Equal("SYSTEM - <<- MSG_PAYLOAD: [\"{\\\"type\\\":...\"]", l));
    }

    [Fact]
    public async Task Secrets_are_not_in_the_log()
    {
        var log = new LogCapture(LogLevel.Trace);
        await using BrokerServer server = await Servers.StartAsync(o =>
        {
            o.Logger = log;
            o.Token = "hidden-a";
        });
        using var client = RawClient.Open(
            server,
            "CONNECT {\"user\":\"u\",\"pass\":\"hidden-b\",\"auth_token\":\"hidden-a\",\"jwt\":\"hidden-c\",\"SIG\":\"hidden-d\",\"verbose\":false,\"pedantic\":false,\"lang\":\"\\u0070ass\"}\r\n");
        client.Sync();
        using var broken = RawClient.Open(server, "CONNECT {\"pass\":\"hidden-e\",\r\n");
        broken.ReadToEnd();

        Assert.Contains(log.All, static l => l.Contains("\"pass\":\"[REDACTED]\"", StringComparison.Ordinal) && l.Contains("\"user\":\"u\"", StringComparison.Ordinal));
        Assert.Contains(log.All, static l => l.Contains("bytes that are not valid JSON)", StringComparison.Ordinal));
        Assert.DoesNotContain(log.All, static l => l.Contains("hidden", StringComparison.Ordinal));
    }

    [Fact]
    public async Task A_reload_turns_the_trace_on_and_off_for_connected_clients()
    {
        var log = new LogCapture(LogLevel.Debug);
        await using BrokerServer server = await Servers.StartAsync(o => o.Logger = log);
        using var client = RawClient.Open(server);
        client.Send("SUB off 1\r\nPUB off 0\r\n\r\n");
        client.Sync();
        Assert.DoesNotContain(log.All, static l => l.Contains("cid:", StringComparison.Ordinal));

        log.Least = LogLevel.Trace;
        await server.ReloadAsync(static _ => { });
        client.Sync();
        client.Send("PUB off 0\r\n\r\n");
        client.Sync();
        Assert.Contains(log.All, static l => l.EndsWith("<<- [PUB off 0]", StringComparison.Ordinal));
        Assert.Contains(log.All, static l => l.EndsWith("->> [MSG off 1 0]", StringComparison.Ordinal));

        log.Least = LogLevel.Debug;
        await server.ReloadAsync(static _ => { });
        client.Sync();
        client.Send("PUB later 0\r\n\r\n");
        client.Sync();
        Assert.DoesNotContain(log.All, static l => l.Contains("later", StringComparison.Ordinal));
    }

    [Theory]
    [InlineData("plain", "plain")]
    [InlineData("two\r\nlines\t", @"two\r\nlines\t")]
    [InlineData("\u001b[31m\0", @"\x1b[31m\x00")]
    [InlineData("\"quoted\" and \\", @"\""quoted\"" and \\")]
    [InlineData("grüße", "grüße")]
    [InlineData("a\u202Eb\u2028", @"a\xe2\x80\xaeb\xe2\x80\xa8")]
    public void Bytes_of_a_peer_cannot_end_a_log_line_or_control_the_terminal(string sent, string shown)
        => Assert.Equal(shown, TraceText.Of(Encoding.UTF8.GetBytes(sent)));

    [Fact]
    public void Bytes_that_are_not_text_are_shown_as_numbers_and_long_texts_are_cut()
    {
        Assert.Equal(@"\xff\xc3(", TraceText.Of([0xFF, 0xC3, (byte)'(']));
        Assert.Equal(new string('x', 1024) + "... (70000 bytes)", TraceText.Of(Encoding.ASCII.GetBytes(new string('x', 70_000))));
    }
}
