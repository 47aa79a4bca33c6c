using Broker.Server.Tests.Harness;

namespace Broker.Server.Tests.Wire;

public sealed class HostileTests
{
    public static TheoryData<string, string> Attacks => new()
    {
        { "GET / HTTP/1.1\r\nHost: x\r\n\r\n", "Unknown Protocol Operation" },
        { "\u0016\u0003\u0001\u0002\0\u0001\0\u0001\r\n", "Unknown Protocol Operation" },
        { "PUB a 123456789012345678901234567890\r\n", "Maximum Payload Violation" },
        { "PUB a 2147483648\r\n", "Maximum Payload Violation" },
        { "PUB a 1048577\r\n", "Maximum Payload Violation" },
        { "PUB a -1\r\n", "Parser Error" },
        { "PUB a\r\n", "Parser Error" },
        { "PUB a 1\r\nxyz", "Unknown Protocol Operation" },
        { "SUB a\r\n", "Parser Error" },
        { "UNSUB\r\n", "Unknown Protocol Operation" },
        { "CONNECT {]\r\n", "Parser Error" },
        { "CONNECT {\"protocol\":9}\r\n", "invalid client protocol" },
        { "CONNECT {\"no_responders\":true}\r\n", "no responders requires headers support" },
        { "HPUB a 12 12\r\nNATS/1.0\r\n\r\n\r\n", "message headers not supported" },
        { "SUB " + new string('a', 4200) + " 1\r\n", "maximum control line exceeded" },
        { "CONNECT {\"name\":\"" + new string('n', 5000) + "\"}\r\n", "maximum control line exceeded" },
        { "PUB " + new string('a', 5000), "maximum control line exceeded" },
    };

    [Theory]
    [MemberData(nameof(Attacks))]
    public async Task An_invalid_stream_is_answered_closed_and_logged_once_and_others_continue(string attack, string text)
    {
        var log = new LogCapture();
        await using BrokerServer server = await Servers.StartAsync(o => o.Logger = log);
        using var other = RawClient.Open(server);
        other.Send("SUB ok 1\r\n");
        using RawClient attacker = new(server.EndPoints[0]);
        attacker.ReadLine();
        attacker.SendWhatGoes(attack);
        Assert.Equal($"-ERR '{text}'\r\n", attacker.ReadToEnd());
        attacker.Dispose();
        other.Send("PUB ok 1\r\nx\r\n");
        Assert.Equal("MSG ok 1 1\r\nx\r\n", other.Sync());
        await Wait.UntilAsync(() => server.Snapshot().Connections == 1, "the attacker to be disconnected");
        Assert.Single(log.Warnings);
    }

    [Fact]
    public async Task Ten_thousand_connection_attempts_leave_no_memory()
    {
        var log = new LogCapture();
        await using BrokerServer server = await Servers.StartAsync(o => o.Logger = log);
        string[] attacks = [.. Attacks.Select(a => a.Data.Item1)];
        using var other = RawClient.Open(server);
        other.Send("SUB ok 1\r\n");
        async Task AttackAsync(int times)
        {
            for (int i = 0; i < times; i++)
            {
                using var attacker = new RawClient(server.EndPoints[0]);
                attacker.SendWhatGoes(attacks[i % attacks.Length]);
                attacker.CountToEnd();
            }

            await Wait.UntilAsync(() => server.Snapshot().Connections == 1, "the attackers are gone");
            other.Send("PUB ok 1\r\nx\r\n");
            Assert.Equal("MSG ok 1 1\r\nx\r\n", other.Sync());
        }

        await AttackAsync(2_000);
        long before = GC.GetTotalMemory(forceFullCollection: true);
        await AttackAsync(8_000);
        // The log capture keeps 8,000 lines. They use less memory than this limit and belong to the test.
        Assert.InRange(GC.GetTotalMemory(forceFullCollection: true) - before, long.MinValue, 8 * 1024 * 1024);
        Assert.Equal(10_000, log.Warnings.Count);
    }

    [Fact]
    public async Task An_announced_payload_that_does_not_arrive_uses_no_memory()
    {
        await using BrokerServer server = await Servers.StartAsync();
        long before = GC.GetTotalMemory(forceFullCollection: true);
        RawClient[] liars = [.. Enumerable.Range(0, 200).Select(_ => RawClient.Open(server))];
        Array.ForEach(liars, l => l.Send("PUB a 1048576\r\nx"));
        using var other = RawClient.Open(server);
        Assert.Equal("", other.Sync());
        await Wait.UntilAsync(() => server.Snapshot().Connections == 201, "all are in");
        // The client announced 200 MiB. A client of the test has its own 64 KiB.
        Assert.InRange(GC.GetTotalMemory(forceFullCollection: true) - before, long.MinValue, 200L * 96 * 1024);
        Array.ForEach(liars, l => l.Dispose());
    }
}
