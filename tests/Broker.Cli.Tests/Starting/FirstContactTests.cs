using System.Globalization;
using System.Net.Sockets;
using System.Text.Json;
using System.Text.RegularExpressions;
using System.Xml.Linq;
using Broker.Cli.Terminal;
using Broker.Cli.Tests.Shell;

namespace Broker.Cli.Tests.Starting;

/// <summary>The first outputs that a new user sees, and texts of earlier versions that users misunderstood.</summary>
public sealed class FirstContactTests
{
    [Fact]
    public Task INFO_and_each_page_have_the_version_of_the_broker_beside_that_of_the_protocol()
        => RealRun.WhileServingAsync(
            static async addresses =>
            {
                string own = CommandVersion.Text;
                using var http = new HttpClient { BaseAddress = new Uri(addresses.Monitoring[0]) };
                string info = await ReadInfoAsync(new Uri(addresses.Nats[0]).Port);
                string metrics = await http.GetStringAsync(new Uri("/metrics", UriKind.Relative), TestContext.Current.CancellationToken);
                string varz = await http.GetStringAsync(new Uri("/varz", UriKind.Relative), TestContext.Current.CancellationToken);
                string page = await http.GetStringAsync(new Uri("/", UriKind.Relative), TestContext.Current.CancellationToken);

                Assert.Equal(own, JsonDocument.Parse(info["INFO ".Length..]).RootElement.GetProperty("broker_version").GetString());
                Assert.Equal(own, JsonDocument.Parse(varz).RootElement.GetProperty("broker_version").GetString());
                Assert.Contains($"<p>broker {own}, NATS protocol of nats-server ", page, StringComparison.Ordinal);
                Assert.Contains($",version=\"{own}\",protocol_version=\"", Regex.Match(metrics, "^broker_info.*$", RegexOptions.Multiline).Value, StringComparison.Ordinal);
            },
            "serve", "-q", "-p", "-1", "-m", "-1");

    [Fact]
    public Task The_page_of_a_server_without_a_name_has_a_short_heading_and_fits_a_small_screen()
        => RealRun.WhileServingAsync(
            static async addresses =>
            {
                using var http = new HttpClient { BaseAddress = new Uri(addresses.Monitoring[0]) };
                string page = await http.GetStringAsync(new Uri("/", UriKind.Relative), TestContext.Current.CancellationToken);

                Assert.Contains("<title>broker</title>", page, StringComparison.Ordinal);
                Assert.Contains("<h1>broker ", page, StringComparison.Ordinal);
                Assert.Contains("<meta name=\"viewport\" content=\"width=device-width", page, StringComparison.Ordinal);
            },
            "serve", "-q", "-p", "-1", "-m", "-1");

    [Fact]
    public Task The_page_counts_one_connection_in_the_singular()
        => RealRun.WhileServingAsync(
            static async addresses =>
            {
                using var http = new HttpClient { BaseAddress = new Uri(addresses.Monitoring[0]) };
                using var client = new TcpClient();
                await client.ConnectAsync("127.0.0.1", new Uri(addresses.Nats[0]).Port, TestContext.Current.CancellationToken);
                await client.GetStream().WriteAsync("CONNECT {}\r\n"u8.ToArray(), TestContext.Current.CancellationToken);

                string page = "";
                await Wait.UntilAsync(
                    async () =>
                    {
                        page = await http.GetStringAsync(new Uri("/", UriKind.Relative), TestContext.Current.CancellationToken);
                        return page.Contains("1 connection, 0 subscriptions", StringComparison.Ordinal);
                    },
                    "one connection on the page");
            },
            "serve", "-q", "-p", "-1", "-m", "-1");

    [Fact]
    public async Task A_start_and_a_stop_name_the_server_once_and_warn_about_nothing()
    {
        RealRun run = await RealRun.Of("serve", "-p", "-1");

        string ready = Regex.Match(run.Said, "Server is ready: .*").Value.TrimEnd();
        Assert.Matches("^Server is ready: N[A-Z2-7]{55}$", ready);
        Assert.DoesNotContain("[warn]", run.Said, StringComparison.Ordinal);
        Assert.DoesNotContain("refused", run.Said, StringComparison.Ordinal);
    }

    [Fact]
    public async Task An_unknown_command_is_named_with_a_suggestion()
    {
        (int exitCode, _, string error) = await ShellRun.OfAsync("bensh");

        Assert.Equal(ExitCode.Usage, exitCode);
        Assert.Equal("broker: unknown command \"bensh\", did you mean bench? (broker --help lists the commands)\n", error);
    }

    [Fact]
    public void README_names_the_version_of_NET_that_the_packages_need()
    {
        string target = XDocument.Load(Path.Combine(Repository.Root, "Directory.Build.props")).Descendants("TargetFramework").First().Value;
        string version = target["net".Length..].Split('.')[0];

        Assert.Contains(
            string.Create(CultureInfo.InvariantCulture, $"The packages need .NET {version}."), File.ReadAllText(Path.Combine(Repository.Root, "README.md")),
            StringComparison.Ordinal);
    }

    private static async Task<string> ReadInfoAsync(int port)
    {
        using var client = new TcpClient();
        await client.ConnectAsync("127.0.0.1", port, TestContext.Current.CancellationToken);
        using var reader = new StreamReader(client.GetStream());
        return await reader.ReadLineAsync(TestContext.Current.CancellationToken) ?? "";
    }
}
