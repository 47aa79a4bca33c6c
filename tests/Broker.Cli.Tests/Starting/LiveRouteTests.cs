using Broker.TestKit.Browsers;
using Broker.ZeroMq;

namespace Broker.Cli.Tests.Starting;

/// <summary>The picture of a ZeroMQ route on the live page of a running command.</summary>
public sealed class LiveRouteTests : IDisposable
{
    private const string Waits = "document.querySelector('.route .waits')";

    private readonly TemporaryFolder _folder = new();

    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    public void Dispose() => _folder.Dispose();

    [Fact]
    public async Task The_picture_follows_a_PULL_program_that_stops_and_goes_on()
    {
        string file = _folder.Write("broker.conf", """
            port: -1
            http: "127.0.0.1:-1"
            zeromq {
              routes: [ { pattern: pushpull, name: jobs, subject: jobs, pushers: "tcp://127.0.0.1:*", pullers: "tcp://127.0.0.1:*" } ]
            }
            """);

        RealRun run = await RealRun.Of(
            async addresses =>
            {
                RouteAddresses jobs = addresses.ZeroMqRoutes.Single();
                await using var browser = Chromium.Open("about:blank");
                await using DevTools page = await DevTools.OpenAsync(browser, addresses.Monitoring.Single() + "/");
                await page.UntilAsync("document.querySelector('.route h3 + p')?.textContent.includes('tcp://127.0.0.1:')");
                Assert.Equal("jobs", await page.ReadAsync("document.querySelector('.route .middle h3').textContent"));

                // The program takes nothing, so that its queue, both kernels and the route's window fill up.
                await using var pull = new PullSocket(new ZeroMqSocketOptions { ReceiveHighWaterMark = 1 });
                pull.Connect(jobs.Endpoints[1]);
                await using var push = new PushSocket();
                push.Connect(jobs.Endpoints[0]);
                byte[] job = new byte[256 * 1024];
                int sent = 0;
                await Wait.UntilAsync(
                    async () =>
                    {
                        if (sent < 2000 && push.TrySend(job, TimeSpan.Zero))
                        {
                            sent++;
                        }

                        return await page.ReadAsync($"String({Waits} !== null && {Waits}.textContent.endsWith(' wait'))") == "true";
                    },
                    "the page shows that messages wait");

                for (int i = 0; i < sent; i++)
                {
                    Assert.True(pull.TryReceive(job, out _, Wait.Limit));
                }

                await page.UntilAsync($"{Waits} === null && document.querySelector('.route .middle').textContent.includes('nothing waits')");
                Assert.Empty(page.Errors);
            },
            "serve", "-q", "-c", file);

        Assert.True(run.ExitCode == ExitCode.Success, run.Said);
    }
}
