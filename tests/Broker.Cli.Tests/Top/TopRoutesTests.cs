using System.Net;
using System.Text;
using System.Text.Json;
using Broker.Cli.Tests.Live;
using Broker.Cli.Tests.Shell;
using Broker.Cli.Tests.Starting;
using Broker.Cli.Top;
using Broker.Cryptography;
using Broker.ZeroMq;

namespace Broker.Cli.Tests.Top;

/// <summary>The routes of <c>broker top --routes</c>: their state, what waits, and why messages were dropped.</summary>
public sealed class TopRoutesTests
{
    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    [Fact]
    public async Task On_a_terminal_of_80_columns_a_route_shows_its_pause_its_shadow_and_what_waits()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "tmux is a program of Unix");
        await ServeAsync(async (pages, pushers) =>
        {
            await using var push = new PushSocket();
            push.Connect(pushers);
            for (int i = 0; i < 3; i++)
            {
                await push.SendAsync("work"u8.ToArray().AsMemory(), Ended);
            }

            string broker = Path.Combine(AppContext.BaseDirectory, "broker");
            await using TmuxSession terminal = await TmuxSession.StartAsync(80, 24, broker, "top", "-s", pages, "--interval", "200ms", "--routes");

            string[] screen = await terminal.ShownAsync(
                "route    state  pattern", "jobs            pushpull", "jobs-new shadow pushpull", "jobs-new: shadow, gets copies", "jobs: PUSH programs wait", "q quit");
            Assert.InRange(screen.Max(static line => line.Length), 1, 80);
            Assert.InRange(screen.Length, 2, 25);

            using var http = new HttpClient { BaseAddress = new Uri(pages), Timeout = Wait.Limit };
            Assert.Equal(HttpStatusCode.OK, await AdministratorRequests.PostAsync(http, "login", ("name", "ops"), ("secret", "correct horse")));
            Assert.Equal(HttpStatusCode.OK, await AdministratorRequests.PostAsync(http, "route", ("route", "jobs"), ("change", "pause")));
            await terminal.ShownAsync("jobs     paused pushpull", "jobs: paused");

            (int exitCode, string output, string error) = await ShellRun.OfAsync("top", "-s", pages, "--once", "--json", "--interval", "100ms");
            Assert.Equal((ExitCode.Success, ""), (exitCode, error));
            using var json = JsonDocument.Parse(output);
            Assert.Equal(
                [("jobs", true, false), ("jobs-new", false, true)],
                json.RootElement.GetProperty("routes").EnumerateArray().Select(static route => (
                    route.GetProperty("name").GetString(), route.GetProperty("paused").GetBoolean(),
                    route.TryGetProperty("shadow", out JsonElement shadow) && shadow.GetBoolean())));
        });
    }

    [Fact]
    public void A_note_says_what_waits_and_why_messages_were_dropped()
    {
        var entry = new RouteEntry
        {
            Name = "orders",
            Pending = 2,
            Held = 3,
            Dropped = 1500,
            DroppedBecause = new Dictionary<string, long>(StringComparer.Ordinal) { ["timed_out"] = 1499, ["no_server"] = 1, ["full"] = 0 },
            Refused = 4,
        };

        Assert.Equal(
            "orders: 2 without a reply; 3 held until there is room; 1.50K dropped (1.50K timed out, 1 no server); 4 refused",
            RouteNotes.Of(new RouteRow(entry, 1, 1, 1, 1)));
    }

    [Theory]
    [InlineData(0, 0, 1, 0.0, "jobs: PUSH programs wait")]
    [InlineData(0, 0, 1, 5.0, null)]
    [InlineData(0, 0, 1, double.NaN, null)]
    [InlineData(0, 7, 1, 0.0, null)]
    [InlineData(0, 0, 0, 0.0, null)]
    [InlineData(1, 0, 1, 0.0, "jobs: paused")]
    public void PUSH_programs_wait_if_the_windows_are_used_up_and_the_route_takes_nothing(int paused, int credit, int pushers, double rate, string? note)
        => Assert.Equal(note, RouteNotes.Of(new RouteRow(new RouteEntry { Name = "jobs", Paused = paused, Credit = credit, Pushers = pushers }, rate, 0, 0, 0)));

    // Starts the command with two routes, and passes the address of the pages and the endpoint for PUSH programs.
    private static async Task ServeAsync(Func<string, string, Task> work)
    {
        using var folder = new TemporaryFolder();
        string file = folder.Write("broker.conf", $$"""
            port: -1
            http: "127.0.0.1:-1"
            http_admin { user: ops, password: "{{BcryptVerifier.CreateHash(Encoding.UTF8.GetBytes("correct horse"), cost: 4)}}" }
            zeromq {
              routes: [
                { pattern: pushpull, name: jobs, subject: work.jobs, pushers: "tcp://127.0.0.1:*", pullers: "tcp://127.0.0.1:*" }
                { pattern: pushpull, name: jobs-new, subject: work.jobs, pushers: [], pullers: "tcp://127.0.0.1:*", shadow: true }
              ]
            }

            """);
        await RealRun.WhileServingAsync(
            addresses => work(addresses.Monitoring.Single() + "/", addresses.ZeroMqRoutes[0].Endpoints[0]), "serve", "-q", "-c", file);
    }
}
