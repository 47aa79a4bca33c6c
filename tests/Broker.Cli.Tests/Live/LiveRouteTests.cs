using Broker.Cli.Tests.Starting;
using Broker.TestKit.Browsers;
using Broker.ZeroMq;

namespace Broker.Cli.Tests.Live;

/// <summary>The picture of a route of <c>broker serve</c> in a real browser.</summary>
public sealed class LiveRouteTests
{
    private const string Route = "{ pattern: pushpull, name: orders, subject: work.orders, window: 64, pushers: \"tcp://127.0.0.1:*\", pullers: \"tcp://127.0.0.1:*\" }";

    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    [Fact]
    public async Task The_picture_of_a_route_follows_a_PULL_that_stops_and_goes_on()
    {
        using var folder = new TemporaryFolder();
        string file = folder.Write("broker.conf", $"port: -1\nhttp: \"127.0.0.1:-1\"\nzeromq {{ routes: [ {Route} ] }}\n");
        await RealRun.WhileServingAsync(
            async addresses =>
            {
                IReadOnlyList<string> endpoints = addresses.ZeroMqRoutes.Single().Endpoints;
                await using var push = new PushSocket();
                await using var pull = new PullSocket(new ZeroMqSocketOptions { ReceiveHighWaterMark = 10 });
                push.Connect(endpoints[0]);
                pull.Connect(endpoints[1]);
                using var takes = new ManualResetEventSlim(initialState: true);
                using var stop = CancellationTokenSource.CreateLinkedTokenSource(Ended);
                Task[] programs = [PushAsync(push, stop.Token), PullAsync(pull, takes, stop.Token)];
                await using var browser = Chromium.Open("about:blank");
                await using DevTools page = await DevTools.OpenAsync(browser, addresses.Monitoring.Single() + "/");
                try
                {
                    await page.UntilAsync("document.querySelectorAll('.flow p.right.on').length === 2 && document.querySelectorAll('.flow p.left.on').length === 2");
                    string text = await page.ReadAsync("document.querySelector('.route').innerText");
                    Assert.Contains("1 PUSH, 1 PULL", text, StringComparison.Ordinal);
                    Assert.Contains("work.orders", text, StringComparison.Ordinal);

                    takes.Reset();
                    await page.UntilAsync("document.querySelector('.route .marks .bad').textContent === 'PUSH programs wait'");
                    await page.UntilAsync("document.querySelector('.window').textContent.startsWith('window: 64 in flight, room for 0') && document.querySelector('progress').value === 64");
                    await page.UntilAsync("document.querySelector('.route .waits').textContent === '64 wait'");
                    await page.UntilAsync("document.getElementById('summary').textContent === 'Needs attention: the PUSH programs of route orders wait.'");
                    await page.UntilAsync("document.querySelectorAll('.flow p.on').length === 0");

                    takes.Set();
                    await page.UntilAsync("document.querySelectorAll('.flow p.right.on').length === 2 && document.querySelector('.route .marks .bad') === null");
                    Assert.Empty(page.Errors);
                }
                finally
                {
                    takes.Set();
                    await stop.CancelAsync();
                    await Task.WhenAll(programs);
                }
            },
            "serve", "-q", "-c", file);
    }

    private static Task PushAsync(PushSocket push, CancellationToken stop) => Task.Run(
        async () =>
        {
            byte[] message = new byte[10_000];
            try
            {
                for (int i = 0; ; i++)
                {
                    await push.SendAsync(message.AsMemory(), stop);
                    if (i % 10 == 9)
                    {
                        await Task.Delay(5, stop);
                    }
                }
            }
            catch (OperationCanceledException)
            {
                // The test is over.
            }
        },
        CancellationToken.None);

    private static Task PullAsync(PullSocket pull, ManualResetEventSlim takes, CancellationToken stop) => Task.Run(
        async () =>
        {
            byte[] message = new byte[10_000];
            try
            {
                while (true)
                {
                    takes.Wait(stop);
                    await pull.ReceiveAsync(message.AsMemory(), stop);
                }
            }
            catch (OperationCanceledException)
            {
                // The test is over.
            }
        },
        CancellationToken.None);
}
