using System.Text.RegularExpressions;
using Broker.Bridge.Tests.Pipelines.Support;
using Migration;
using NetMQ;
using NetMQ.Sockets;

namespace Broker.Bridge.Tests.Documents;

/// <summary>
/// Runs the two programs at the beginning of docs/migration.md, before and after they use the bridge. Only their
/// endpoints are replaced.
/// </summary>
public sealed partial class MigrationPageTests
{
    private static readonly BridgeEndpoint AnyPort = new(Bind: true, "tcp://127.0.0.1:0");

    [Theory]
    [InlineData("python")]
    [InlineData("csharp")]
    public void A_program_changes_only_its_endpoint(string language)
    {
        string[] programs = CodeOf(language);
        Assert.Equal(2, programs.Length);
        Assert.NotEqual(programs[0], programs[1]);
        Assert.Equal(Endpoint().Replace(programs[0], "ENDPOINT"), Endpoint().Replace(programs[1], "ENDPOINT"));
    }

    [Fact]
    public async Task The_subscriber_receives_from_its_publisher_before()
    {
        PyPeer.Require();
        using var publisher = new PublisherSocket();
        int port = publisher.BindRandomPort("tcp://127.0.0.1");
        await using PeerProcess program = Run(CodeOf("python")[0], $"tcp://127.0.0.1:{port}");
        Task<string> line = program.ReadLineAsync();
        while (!line.IsCompleted)
        {
            publisher.SendMoreFrame("room.kitchen").SendFrame("21");
            await Task.Delay(50, TestContext.Current.CancellationToken);
        }

        Assert.Equal("room.kitchen 21", await line);
    }

    [Fact]
    public async Task The_subscriber_receives_from_a_NATS_client_after()
    {
        PyPeer.Require();
        await using Junction junction = await Junction.StartAsync(
            url: null, new PubSubRouteOptions { Publishers = [AnyPort], Subscribers = [AnyPort] });
        string endpoint = ((PubSubRouteSnapshot)junction.Route("pubsub")).SubscriberEndpoints[0];
        await using PeerProcess program = Run(CodeOf("python")[1], endpoint);
        Task<string> line = program.ReadLineAsync();
        while (!line.IsCompleted)
        {
            junction.Client.Publish("zmq.room.kitchen", "21"u8);
            await Task.Delay(50, TestContext.Current.CancellationToken);
        }

        Assert.Equal("room.kitchen 21", await line);
    }

    [Fact]
    public async Task The_client_receives_the_reply_of_its_server_before()
    {
        using var server = new ResponseSocket();
        int port = server.BindRandomPort("tcp://127.0.0.1");
        Task<string> reply = Task.Run(() => Ask($">tcp://127.0.0.1:{port}"), TestContext.Current.CancellationToken);
        Assert.Equal("price of apples", server.ReceiveFrameString());
        server.SendFrame("3");
        Assert.Equal("3", await Wait.For(reply));
    }

    [Fact]
    public async Task The_client_receives_the_reply_of_a_NATS_service_after()
    {
        await using Junction junction = await Junction.StartAsync(
            url: null, new RequestRouteOptions { Subject = "orders", Endpoints = [AnyPort] });
        junction.Client.Subscribe("orders", (in message) => message.Respond("3"u8));
        await junction.Client.FlushAsync(TestContext.Current.CancellationToken);
        string endpoint = junction.Route("request").Endpoints[0];
        Assert.Equal("3", await Wait.For(Task.Run(() => Ask(">" + endpoint), TestContext.Current.CancellationToken)));
    }

    [Fact]
    public void The_client_runs_as_it_is_on_the_page()
    {
        string source = File.ReadAllText(
            Path.Combine(Repository.Root, "tests", "Broker.Bridge.Tests", "Documents", "MigrationPageTests.cs"));
        string[] page = CodeOf("csharp")[0].Split('\n', StringSplitOptions.RemoveEmptyEntries);
        int at = 0;
        foreach (string line in page)
        {
            string here = Endpoint().Replace(line, "endpoint")
                .Replace("Console.WriteLine(", "output.WriteLine(", StringComparison.Ordinal);
            at = source.IndexOf($"\n        {here}", at, StringComparison.Ordinal);
            Assert.True(at > 0, line);
        }
    }

    // The program of the page, with its endpoint and its output replaced.
    private static string Ask(string endpoint)
    {
        using var output = new StringWriter();
        using var socket = new RequestSocket(endpoint);
        socket.SendFrame("price of apples");
        output.WriteLine(socket.ReceiveFrameString());
        return output.ToString().TrimEnd();
    }

    private static PeerProcess Run(string program, string endpoint)
        => PeerProcess.Start("page", "/usr/bin/python3", ["-u", "-c", Endpoint().Replace(program, $"\"{endpoint}\"")]);

    private static string[] CodeOf(string language)
    {
        string page = File.ReadAllText(Path.Combine(Repository.Root, "docs", "migration.md")).ReplaceLineEndings("\n");
        return
        [
            .. Fence().Matches(page).Where(m => m.Groups["language"].Value == language)
                .Select(m => m.Groups["code"].Value),
        ];
    }

    [GeneratedRegex("^```(?<language>[a-z]+)\n(?<code>.*?)^```$", RegexOptions.Multiline | RegexOptions.Singleline, 10_000)]
    private static partial Regex Fence();

    [GeneratedRegex("\">?tcp://[^\"]+\"", RegexOptions.None, 10_000)]
    private static partial Regex Endpoint();
}
