using System.Net;
using System.Net.Sockets;
using System.Net.WebSockets;
using System.Text;

namespace Broker.Cli.Tests.Starting;

/// <summary>Starts real listeners on each kind of address that a configuration can have.</summary>
public sealed class AddressTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData("127.0.0.1")]
    [InlineData("0.0.0.0")]
    [InlineData("::1")]
    [InlineData("[::1]")]
    [InlineData("::")]
    [InlineData("[::]")]
    [InlineData("*")]
    [InlineData("localhost")]
    public async Task Clients_are_served_at(string host)
    {
        string info = "";
        RealRun run = await RealRun.Of(async addresses => info = await InfoAsync(addresses.Nats[0]), "serve", "-q", "-a", host, "-p", "-1");

        Assert.Equal((ExitCode.Success, true), (run.ExitCode, info.StartsWith("INFO {", StringComparison.Ordinal)));
    }

    [Theory]
    [InlineData("listen: \"0.0.0.0:-1\"")]
    [InlineData("listen: \":-1\"")]
    [InlineData("listen: \"[::]:-1\"")]
    [InlineData("listen: \"*:-1\"")]
    [InlineData("listen: [\"127.0.0.1:-1\", \"[::1]:-1\", \"0.0.0.0:-1\", \"*:-1\"]")]
    [InlineData("host: \"::\"\nport: -1")]
    [InlineData("net: 0.0.0.0\nport: -1")]
    public async Task A_file_may_name(string text)
    {
        var heard = new List<string>();
        RealRun run = await RunAsync(text, async addresses =>
        {
            foreach (string address in addresses.Nats)
            {
                heard.Add(await InfoAsync(address));
            }
        });

        Assert.Equal((ExitCode.Success, ""), (run.ExitCode, run.ExitCode == ExitCode.Success ? "" : run.Error));
        Assert.NotEmpty(heard);
        Assert.All(heard, info => Assert.StartsWith("INFO {", info, StringComparison.Ordinal));
    }

    [Theory]
    [InlineData("http_port: -1")]
    [InlineData("monitor_port: -1")]
    [InlineData("http: -1")]
    [InlineData("http: \"0.0.0.0:-1\"")]
    [InlineData("http: \"[::]:-1\"")]
    [InlineData("http: \":-1\"")]
    [InlineData("http: \"*:-1\"")]
    [InlineData("host: 0.0.0.0\nhttp_port: -1")]
    [InlineData("host: \"*\"\nhttp_port: -1")]
    [InlineData("http: \"localhost:-1\"\nhttp_base_path: \"/broker/\"", "/broker")]
    public async Task The_pages_are_served_at(string text, string path = "")
    {
        string page = "";
        using var http = new HttpClient();
        RealRun run = await RunAsync("port: -1\nserver_tags: [\"Region:North\", \"a\"]\n" + text, async addresses =>
            page = await http.GetStringAsync($"{Assert.Single(addresses.Monitoring)}{path}/varz", TestContext.Current.CancellationToken));

        Assert.Equal(ExitCode.Success, run.ExitCode);
        Assert.Contains("\"tags\": [", page, StringComparison.Ordinal);
        Assert.Contains("\"region:north\"", page, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("websocket { port: -1, no_tls: true }")]
    [InlineData("websocket { host: 0.0.0.0, port: -1, no_tls: true }")]
    [InlineData("websocket { host: \"::\", port: -1, no_tls: true }")]
    [InlineData("websocket { listen: \"*:-1\", no_tls: true }")]
    [InlineData("websocket { listen: \":-1\", no_tls: true }")]
    [InlineData("ws { listen: \"localhost:-1\", no_tls: true }")]
    public async Task WebSockets_are_served_at(string text)
    {
        string heard = "";
        RealRun run = await RunAsync("port: -1\n" + text, async addresses =>
        {
            using var socket = new System.Net.WebSockets.ClientWebSocket();
            await socket.ConnectAsync(new Uri(Assert.Single(addresses.WebSocket)), TestContext.Current.CancellationToken);
            byte[] buffer = new byte[4096];
            WebSocketReceiveResult info = await socket.ReceiveAsync(buffer, TestContext.Current.CancellationToken);
            heard = Encoding.UTF8.GetString(buffer, 0, info.Count);
        });

        Assert.Equal(ExitCode.Success, run.ExitCode);
        Assert.StartsWith("INFO {", heard, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_client_by_IPv4_is_shown_as_one_where_both_families_are_served()
    {
        string info = "";
        string clients = "";
        using var http = new HttpClient();
        RealRun run = await RunAsync("listen: \"*:-1\"\nhttp: \"127.0.0.1:-1\"", async addresses =>
        {
            using TcpClient client = await ConnectAsync(addresses.Nats[0]);
            info = await ReadLineAsync(client);
            await client.GetStream().WriteAsync("CONNECT {\"verbose\":true}\r\n"u8.ToArray(), TestContext.Current.CancellationToken);
            await ReadLineAsync(client);
            clients = await http.GetStringAsync(addresses.Monitoring[0] + "/connz", TestContext.Current.CancellationToken);
        });

        Assert.Equal(ExitCode.Success, run.ExitCode);
        Assert.Contains("\"ip\": \"127.0.0.1\"", clients, StringComparison.Ordinal);
        Assert.Contains("\"client_ip\":\"127.0.0.1\"", info, StringComparison.Ordinal);
        Assert.DoesNotContain("::ffff", run.Said + clients + info, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("port: {0}")]
    [InlineData("port: -1\nhttp: {0}")]
    [InlineData("port: -1\nwebsocket {{ listen: \"127.0.0.1:{0}\", no_tls: true }}")]
    [InlineData("port: -1\nzeromq {{ publishers: \"tcp://127.0.0.1:{0}\", subscribers: \"tcp://127.0.0.1:*\" }}")]
    public async Task A_taken_port_is_one_line(string text)
    {
        using var taken = new TcpListener(IPAddress.Loopback, 0);
        taken.Start();
        int port = ((IPEndPoint)taken.LocalEndpoint).Port;

        RealRun run = await RunAsync(string.Format(System.Globalization.CultureInfo.InvariantCulture, text, port));

        Assert.Equal(ExitCode.Failure, run.ExitCode);
        string line = Assert.Single(run.Error.Split('\n', StringSplitOptions.RemoveEmptyEntries), l => l.StartsWith("broker: ", StringComparison.Ordinal));
        Assert.Contains($"127.0.0.1:{port}: the address is already in use", line, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("no.such.host.invalid")]
    [InlineData("203.0.113.7")]
    public async Task An_address_that_this_machine_has_not_is_one_line(string host)
    {
        RealRun run = await RealRun.Of("serve", "-a", host, "-p", "-1");

        Assert.Equal(ExitCode.Failure, run.ExitCode);
        Assert.StartsWith($"broker: cannot listen on {host}:0: ", run.Error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("host: \"a b\"", "\"host\" must be a host name, an IP address, or * for all IPv4 and IPv6 addresses, not \"a b\" at ")]
    [InlineData("host: \"\"", "\"host\" must be a host name, an IP address, or * for all IPv4 and IPv6 addresses, not \"\" at ")]
    [InlineData("listen: \"a/b:1\"", "\"listen\" must be a port, a text such as \"127.0.0.1:4222\" or an array of them, not \"a/b:1\" at ")]
    [InlineData("websocket { host: \"a b\", port: 1, no_tls: true }", "\"host\" must be a host name, an IP address")]
    [InlineData("websocket { port: 0, no_tls: true }", "\"websocket\" needs a \"port\"")]
    public async Task What_is_no_address_is_refused_with_its_place(string text, string problem)
    {
        RealRun run = await RunAsync(text);

        Assert.Equal((ExitCode.Failure, null), (run.ExitCode, run.Addresses));
        Assert.StartsWith("broker: " + problem, run.Error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("-m", "0")]
    [InlineData("-ms", "0")]
    public async Task Port_0_is_no_pages(params string[] flags)
        => Assert.Empty((await RealRun.Of(["serve", "-q", "-p", "-1", .. flags])).Addresses!.Monitoring);

    private async Task<RealRun> RunAsync(string text, Func<ServeAddresses, Task>? whileServing = null)
        => await RealRun.Of(whileServing ?? (static _ => Task.CompletedTask), "serve", "-q", "-c", _folder.Write("b.conf", text));

    private static async Task<string> InfoAsync(string address)
    {
        using TcpClient client = await ConnectAsync(address);
        return await ReadLineAsync(client);
    }

    private static async Task<TcpClient> ConnectAsync(string address)
    {
        var uri = new Uri(address);
        var client = new TcpClient(uri.HostNameType == UriHostNameType.IPv6 ? AddressFamily.InterNetworkV6 : AddressFamily.InterNetwork);
        await client.ConnectAsync(uri.DnsSafeHost, uri.Port, TestContext.Current.CancellationToken);
        return client;
    }

    private static async Task<string> ReadLineAsync(TcpClient client)
    {
        var line = new List<byte>();
        byte[] one = new byte[1];
        while (line is not [.., (byte)'\n'] && await client.GetStream().ReadAsync(one, TestContext.Current.CancellationToken) == 1)
        {
            line.Add(one[0]);
        }

        return Encoding.UTF8.GetString([.. line]);
    }
}
