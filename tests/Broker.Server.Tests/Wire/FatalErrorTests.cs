using System.Net.Sockets;
using Broker.Server.Tests.Harness;
using Broker.Testing;
using Broker.Transport;

namespace Broker.Server.Tests.Wire;

/// <summary>How a connection ends for a client that goes on writing after an error.</summary>
public sealed class FatalErrorTests
{
    // Before there was a limit, the server waited a second for the client to close its side.
    private static readonly TimeSpan Longest = TimeSpan.FromMilliseconds(900);

    [Theory]
    [InlineData("PUB bar 4194304000\r\n", "Maximum Payload Violation")]
    [InlineData("FOO BAR\r\n", "Unknown Protocol Operation")]
    [InlineData("PUB foo 18446744073709551615123\r\n", "Maximum Payload Violation")]
    public async Task A_client_that_goes_on_writing_reads_the_error_and_then_cannot_write(string operation, string text)
    {
        var time = new VirtualTime();
        await using BrokerServer server = await Servers.StartAsync(o => o.LoopOptions = new EventLoopOptions { TimeProvider = time });
        using var client = RawClient.Open(server);
        Assert.Equal("", client.Sync());
        client.Send(operation);
        Assert.Equal($"-ERR '{text}'\r\n", client.ReadLine());
        // The error is sent in the iteration that starts the timer. Time passes after this iteration.
        await IterateAsync(server);
        time.Advance(Longest);
        await Wait.UntilAsync(() => !TryWrite(client), "the end of the connection");
    }

    private static async Task IterateAsync(BrokerServer server)
    {
        for (int i = 0; i < server.Loops.Count; i++)
        {
            TaskCompletionSource done = Wait.Source();
            server.Loops[i].Post(done.SetResult);
            await Wait.For(done);
        }
    }

    private static bool TryWrite(RawClient client)
    {
        try
        {
            client.Send("PING\r\n");
            return true;
        }
        catch (SocketException)
        {
            return false;
        }
    }

    [Fact]
    public async Task A_client_that_reads_late_still_receives_the_error()
    {
        await using BrokerServer server = await Servers.StartAsync();
        using var client = RawClient.Open(server);
        Assert.Equal("", client.Sync());
        client.Send("FOO BAR\r\n");
        await Wait.UntilAsync(() => server.Snapshot().Connections == 0, "the connection is not closed");
        Assert.Equal("-ERR 'Unknown Protocol Operation'\r\n", client.ReadLine());
    }

    [Theory]
    [InlineData("caf\u00e9", "caf\ufffd")]
    [InlineData("\u00ff\u00fe", "\ufffd\ufffd")]
    [InlineData("\u00e2\u0082x", "\ufffd\ufffdx")]
    [InlineData("\\ud800", "\ufffd")]
    [InlineData("a\\n\\udc00\\ud83d\\ude00", "a\n\ufffd\U0001f600")]
    public async Task A_name_that_is_not_Unicode_is_accepted_and_shown_with_replacements(string said, string shown)
    {
        await using BrokerServer server = await Servers.StartAsync();
        // The test's client sends Latin-1.
        using var client = RawClient.Open(server, $"CONNECT {{\"verbose\":false,\"name\":\"{said}\",\"lang\":\"{said}\",\"version\":\"{said}\"}}\r\n");
        Assert.Equal("", client.Sync());
        ConnectionPage page = await server.InspectConnectionsAsync(cancellationToken: TestContext.Current.CancellationToken);
        ConnectionDescription description = Assert.Single(page.Connections);
        Assert.Equal((shown, shown, shown), (description.Name, description.Language, description.Version));
    }
}
