using System.Globalization;
using System.Text.RegularExpressions;
using Broker.Bridge;
using Broker.Client;
using NetMQ;
using NetMQ.Sockets;

#pragma warning disable IDE0007, IDE0008, xUnit1051 // The code is written as on the page.

namespace Broker.NetMQ.Tests;

/// <summary>
/// The code of docs/from-netmq.md. The programs below contain it line by line and run it; only the addresses are
/// replaced by variables. The code of the third way runs on NetMQ here, and on our package in the suite of
/// Broker.NetMQ.Compatibility.
/// </summary>
public sealed partial class FromNetMQPageTests
{
    private static readonly (string Shown, string Here)[] Variables =
    [
        ("\">tcp://127.0.0.1:5560\"", "\">\" + endpoint"),
        ("\"tcp://127.0.0.1:5560\"", "endpoint"),
        ("\">tcp://127.0.0.1:5561\"", "\">\" + endpoint"),
        ("\"tcp://127.0.0.1:5561\"", "endpoint"),
        ("\"nats://127.0.0.1:4222\"", "url"),
        ("Console.WriteLine(", "_output.Add("),
    ];

    private readonly List<string> _output = [];

    [Fact]
    public void Each_line_of_the_page_is_in_the_programs()
    {
        string page = File.ReadAllText(Path.Combine(Repository.Root, "docs", "from-netmq.md")).ReplaceLineEndings("\n");
        string here = File.ReadAllText(Path.Combine(Repository.Root, "tests", "Broker.NetMQ.Tests", "FromNetMQPageTests.cs"));
        here = here[here.IndexOf("// Programs", StringComparison.Ordinal)..];
        string[] blocks = [.. CodeBlock().Matches(page).Select(match => match.Groups[1].Value)];
        Assert.Equal(7, blocks.Length);
        foreach (string line in blocks.SelectMany(block => block.Split('\n')))
        {
            string text = Variables.Aggregate(line.Trim(), (t, v) => t.Replace(v.Shown, v.Here, StringComparison.Ordinal));
            Assert.Contains(text, here, StringComparison.Ordinal);
        }
    }

    // Programs

    [Fact]
    public async Task A_program_is_bridged()
    {
        await using Site site = await Site.StartAsync();
        string url = site.Url;
        string endpoint = string.Create(CultureInfo.InvariantCulture, $"tcp://127.0.0.1:{FreePort.Next()}");
        await using ZeroMqBridge bridge = await ZeroMqBridge.StartAsync(new ZeroMqBridgeOptions
        {
            Client = new ClientOptions { Servers = [url] },
            Routes = [new RequestRouteOptions { Subject = "orders", Endpoints = [new(Bind: true, endpoint)] }],
        });
        await using var service = await BrokerConnection.ConnectAsync(url);
        service.Subscribe("orders", static (in message) => message.Respond("2 crowns"u8));
        await service.FlushAsync(TestContext.Current.CancellationToken);
        await Task.Run(() => Ask(endpoint), TestContext.Current.CancellationToken);

        Assert.Equal(["2 crowns"], _output);
    }

    [Fact]
    public async Task A_socket_is_attached()
    {
        await using Site site = await Site.StartAsync();
        ZeroMqBridge bridge = site.Bridge;
        string endpoint = string.Create(CultureInfo.InvariantCulture, $"tcp://127.0.0.1:{FreePort.Next()}");
        using var results = new PullSocket("@inproc://results");
        using var poller = new NetMQPoller { results };
        poller.RunAsync();
        await using NetMQAttachment attachment = await bridge.AttachAsync(
            poller, results, new PushPullRouteOptions { Subject = "results" });
        using var worker = new PushSocket(">inproc://results");
        worker.SendFrame("220 degrees");
        await bridge.AddRouteAsync(
            new PushPullRouteOptions { Subject = "results", Pullers = [new(Bind: true, endpoint)] });
        await Task.Run(() => Pull(endpoint), TestContext.Current.CancellationToken);

        Assert.Equal(["220 degrees"], _output);
    }

    [Fact]
    public void A_program_is_swapped()
    {
        using var server = new ResponseSocket();
        int port = server.BindRandomPort("tcp://127.0.0.1");
        using var client = new RequestSocket($">tcp://127.0.0.1:{port}");
        client.SendFrame("Ada");
        server.SendFrame("Hello, " + server.ReceiveFrameString());
        _output.Add(client.ReceiveFrameString());

        Assert.Equal(["Hello, Ada"], _output);
    }

    private void Ask(string endpoint)
    {
        using var orders = new RequestSocket(">" + endpoint);
        orders.SendFrame("price of apples");
        _output.Add(orders.ReceiveFrameString());
    }

    private void Pull(string endpoint)
    {
        using var puller = new PullSocket(">" + endpoint);
        _output.Add(puller.ReceiveFrameString());
    }

    [GeneratedRegex("```csharp\n(.+?)\n```", RegexOptions.Singleline)]
    private static partial Regex CodeBlock();
}
