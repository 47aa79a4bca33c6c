using Broker.AspNetCore.Tests.Harness;
using Broker.TestKit.Browsers;
using Microsoft.Extensions.Logging;

namespace Broker.AspNetCore.Tests.Live;

/// <summary>The live page in a real browser.</summary>
public sealed class LivePageTests
{
    private const string Hostile = "<img src=x onerror=alert(1)>";

    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    [Fact]
    public async Task Rates_move_while_clients_publish_and_names_are_text()
    {
        await using Site site = await Site.StartAsync();
        using LineClient publisher = site.Connect($"{{\"verbose\":false,\"name\":\"{Hostile}\",\"lang\":\"test\"}}");
        using LineClient subscriber = site.Connect("{\"verbose\":false,\"name\":\"reader\"}", "SUB a.> 1\r\n");
        await using var browser = Chromium.Open("about:blank");
        await using DevTools page = await DevTools.OpenAsync(browser, site.Http.BaseAddress!.ToString());
        await page.UntilAsync("document.querySelectorAll('#rows tr').length === 2");
        Assert.Equal("0/s", await page.ReadAsync("document.getElementById('in_msgs').textContent.replace('–', '0')"));
        using var stop = new CancellationTokenSource();
        Task publishing = PublishAsync(publisher, stop.Token);
        try
        {
            await page.UntilAsync("parseFloat(document.getElementById('in_msgs').textContent) > 0");
            await page.UntilAsync("parseFloat(document.getElementById('out_bytes').textContent) > 0");
            await page.UntilAsync("new Set(document.getElementById('in_msgs_line').getAttribute('points').split(' ').map(p => p.split(',')[1])).size > 1");
            await page.UntilAsync($"[...document.querySelectorAll('#rows tr')].some(r => r.textContent.includes('{Hostile}') && parseFloat(r.cells[4].textContent) > 0)");
        }
        finally
        {
            await stop.CancelAsync();
            await publishing;
        }

        Assert.Equal("0", await page.ReadAsync("document.querySelectorAll('img').length"));
        Assert.Equal("healthy", await page.ReadAsync("document.getElementById('health').textContent"));
        AssertClean(page, site);
    }

    [Fact]
    public async Task Connections_are_sorted_filtered_and_opened_by_keyboard()
    {
        await using Site site = await Site.StartAsync();
        using LineClient few = site.Connect("{\"verbose\":false,\"name\":\"few\"}", "SUB one 1\r\n");
        using LineClient many = site.Connect("{\"verbose\":false,\"name\":\"many\"}", "SUB x.1 1\r\nSUB x.2 2\r\nSUB x.3 3\r\n");
        await using var browser = Chromium.Open("about:blank");
        await using DevTools page = await DevTools.OpenAsync(browser, site.Http.BaseAddress!.ToString());
        await page.UntilAsync("document.querySelectorAll('#rows tr').length === 2 && document.querySelector('#rows tr').textContent.includes('few')");
        await page.ReadAsync("[...document.querySelectorAll('#heads button')].find(b => b.textContent === 'Subs').focus()");
        await page.PressAsync("Enter", "\r");
        await page.UntilAsync("document.querySelector('#rows tr').textContent.includes('many')");
        Assert.Equal("Subs", await page.ReadAsync("document.querySelector('[aria-sort=descending]').textContent"));
        await page.ReadAsync("document.getElementById('filter').focus()");
        await page.TypeAsync("FEW");
        await page.UntilAsync("document.querySelectorAll('#rows tr').length === 1 && document.querySelector('#rows tr').textContent.includes('few')");
        Assert.Equal("2 open; 1 shown", await page.ReadAsync("document.getElementById('shown').textContent"));
        await page.ReadAsync("document.querySelector('#rows a').focus()");
        await page.PressAsync("Enter", "\r");
        await page.UntilAsync("document.getElementById('onesubs').textContent === 'one' && document.activeElement.id === 'onehead'");
        Assert.Equal("0", await page.ReadAsync("document.getElementById('rows').offsetHeight"));
        await page.ReadAsync("document.getElementById('back').focus()");
        await page.PressAsync("Enter", "\r");
        await page.UntilAsync("document.getElementById('one').hidden && document.activeElement.closest('#rows') !== null");
        AssertClean(page, site);
    }

    [Fact]
    public async Task Subjects_are_ordered_by_their_rate_and_without_sampling_the_page_names_the_key()
    {
        await using Site site = await Site.StartAsync();
        using LineClient publisher = site.Connect();
        await using var browser = Chromium.Open("about:blank");
        await using DevTools page = await DevTools.OpenAsync(browser, site.Http.BaseAddress!.ToString());
        await page.UntilAsync("document.getElementById('subjectnote').textContent.includes('sample_subjects') && document.getElementById('subjects').hidden");
        await site.Server.ReloadAsync(static o => o.SampleSubjects = 1);
        // The first subject has the most messages, and the second one is used now.
        publisher.Send(string.Concat(Enumerable.Repeat("PUB before 1\r\nx\r\n", 5_000)));
        publisher.Sync();
        await page.UntilAsync("document.querySelectorAll('#subjectrows tr').length === 1");
        using var stop = new CancellationTokenSource();
        Task publishing = PublishAsync(publisher, stop.Token);
        try
        {
            await page.UntilAsync(
                "document.querySelectorAll('#subjectrows tr').length === 2 && document.querySelector('#subjectrows tr').textContent.includes('a.b') "
                + "&& parseFloat(document.querySelector('#subjectrows tr').cells[2].textContent) > 0");
        }
        finally
        {
            await stop.CancelAsync();
            await publishing;
        }

        AssertClean(page, site);
    }

    [Fact]
    public async Task A_slow_consumer_is_marked_and_a_closed_client_has_its_reason()
    {
        await using Site site = await Site.StartAsync(static o => o.MaxPending = 2 * 1024 * 1024);
        using LineClient publisher = site.Connect("{\"verbose\":false,\"name\":\"publisher\"}");
        using LineClient stopped = site.Connect("{\"verbose\":false,\"name\":\"stopped\"}", "SUB a 1\r\n");
        await using var browser = Chromium.Open("about:blank");
        await using DevTools page = await DevTools.OpenAsync(browser, site.Http.BaseAddress!.ToString());
        await page.UntilAsync("document.querySelectorAll('#rows tr').length === 2");
        // The kernel takes the first megabytes. The publisher stops when an eighth of the limit waits in the server.
        string message = $"PUB a 65536\r\n{new string('x', 65536)}\r\n";
        const string Slow = "[...document.querySelectorAll('#rows tr')].some(r => r.textContent.includes('stopped') && r.querySelector('.badge')?.textContent === 'slow')";
        await Wait.UntilAsync(
            async () =>
            {
                if ((await site.GetAsync("connz")).GetProperty("connections").EnumerateArray().All(static c => c.GetProperty("pending_bytes").GetInt64() < 512 * 1024))
                {
                    publisher.Send(message);
                    publisher.Sync();
                }

                return await page.ReadAsync(Slow) == bool.TrueString;
            },
            "a slow consumer is marked");
        stopped.Dispose();
        await page.ReadAsync("document.getElementById('which').value = 'closed'; document.getElementById('which').onchange({ target: document.getElementById('which') })");
        await page.UntilAsync("document.querySelectorAll('#rows tr').length === 1 && document.querySelector('#rows .badge').textContent.length > 3");
        Assert.Contains("stopped", await page.ReadAsync("document.querySelector('#rows tr').textContent"), StringComparison.Ordinal);
        AssertClean(page, site);
    }

    [Fact]
    public async Task The_log_follows_with_its_texts_as_text_and_health_is_one_line()
    {
        using var log = new RecentLog();
        ILogger logger = log.CreateLogger("server");
        logger.Write(LogLevel.Information, "begun");
        int lost = 0;
        var bridge = new MonitoringPage("/bridgez", "ZeroMQ routes", () => $$"""
            { "server": {{(Volatile.Read(ref lost) == 0 ? "\"nats://127.0.0.1:4222\"" : "null")}}, "routes": [{ "name": "jobs", "pattern": "pushpull", "endpoints": [] }] }
            """);
        await using Site site = await Site.StartAsync(monitoring: new MonitoringOptions { Log = log, Pages = [bridge] });
        await using var browser = Chromium.Open("about:blank");
        await using DevTools page = await DevTools.OpenAsync(browser, site.Http.BaseAddress!.ToString());
        await page.UntilAsync("document.querySelectorAll('#loglines li').length === 1 && document.getElementById('loglines').textContent.endsWith(' info server: begun')");
        await page.UntilAsync("document.getElementById('summary').textContent === 'Nothing needs attention.'");
        logger.Write(LogLevel.Warning, Hostile);
        Volatile.Write(ref lost, 1);
        await page.UntilAsync($"document.querySelector('#loglines li').textContent.endsWith(' warn server: {Hostile}') && document.querySelectorAll('#loglines .bad').length === 1");
        await page.UntilAsync("document.getElementById('summary').textContent === 'Needs attention: the ZeroMQ bridge is not connected.'");
        AssertClean(page, site);
    }

    [Theory]
    [InlineData("")]
    [InlineData("/tools/broker")]
    public async Task A_connection_has_a_page_with_an_address_of_its_own_that_stays_after_its_end(string prefix)
    {
        await using Site site = await Site.StartAsync(monitoring: new MonitoringOptions { BasePath = prefix });
        using LineClient client = site.Connect($"{{\"verbose\":false,\"name\":\"{Hostile}\"}}", "SUB <b>.* 1\r\n");
        string id = (await site.GetAsync("connz")).GetProperty("connections")[0].GetProperty("cid").ToString();
        await using var browser = Chromium.Open("about:blank");
        await using DevTools page = await DevTools.OpenAsync(browser, $"{site.Http.BaseAddress}#client={id}");
        await page.UntilAsync($"document.getElementById('onehead').textContent.endsWith('{Hostile}') && document.getElementById('onesubs').textContent === '<b>.*'");
        Assert.Equal("connected", await page.ReadAsync("document.getElementById('onestate').textContent"));
        using var stop = new CancellationTokenSource();
        Task publishing = PublishAsync(client, stop.Token);
        try
        {
            await page.UntilAsync("parseFloat(document.getElementById('one_in_msgs').textContent) > 0");
            await page.UntilAsync("new Set(document.getElementById('one_in_msgs_line').getAttribute('points').split(' ').map(p => p.split(',')[1])).size > 1");
        }
        finally
        {
            await stop.CancelAsync();
            await publishing;
        }

        client.Send("SUB more 2\r\n");
        await page.UntilAsync("document.querySelectorAll('#onesubs li').length === 2");
        client.Dispose();
        await page.UntilAsync("document.getElementById('onestate').textContent === 'closed: Client Closed'");
        Assert.Contains(": Client Closed", await page.ReadAsync("document.getElementById('onehistory').textContent"), StringComparison.Ordinal);
        await page.ReadAsync("location.hash = '#client=987654'");
        await page.UntilAsync("document.getElementById('onestate').textContent.includes('does not know this client')");
        // A page that is opened later knows the closed client too.
        await page.ReadAsync($"location.hash = '#client={id}'; location.reload()");
        await page.UntilAsync("document.getElementById('onehistory').textContent.includes(': Client Closed')");
        AssertClean(page, site);
    }

    [Fact]
    public async Task A_route_shows_its_ends_its_rates_and_its_waiting_messages()
    {
        long sent = 0, waiting = 0;
        var bridge = new MonitoringPage("/bridgez", "ZeroMQ routes", () => $$"""
            {
              "server": "nats://127.0.0.1:4222",
              "routes": [{ "name": "jobs", "pattern": "pushpull", "security": "NULL", "endpoints": ["push tcp://127.0.0.1:5557"],
                "peers": 2, "from_zeromq": {{Interlocked.Add(ref sent, 50)}}, "to_subjects": 0, "from_subjects": 0, "to_zeromq": 0,
                "subjects": ["work.orders"], "dropped": 2, "dropped_because": { "timed_out": 2 }, "refused": 3, "refused_because": { "TooLarge": 3 },
                "waiting": {{Volatile.Read(ref waiting)}} }]
            }
            """);
        await using Site site = await Site.StartAsync(monitoring: new MonitoringOptions { Pages = [bridge] });
        await using var browser = Chromium.Open("about:blank");
        await using DevTools page = await DevTools.OpenAsync(browser, site.Http.BaseAddress!.ToString());
        await page.UntilAsync("document.querySelectorAll('.route').length === 1 && parseFloat(document.querySelector('.flow p.on').textContent) > 0");
        string text = await page.ReadAsync("document.querySelector('.route').textContent");
        Assert.Contains("push tcp://127.0.0.1:5557", text, StringComparison.Ordinal);
        Assert.Contains("nothing waits", text, StringComparison.Ordinal);
        Assert.Contains("3 refused: 3 TooLarge", text, StringComparison.Ordinal);
        Assert.Contains("2 dropped: 2 timed out", text, StringComparison.Ordinal);
        Assert.Contains("work.orders", text, StringComparison.Ordinal);
        Volatile.Write(ref waiting, 17);
        await page.UntilAsync("document.querySelector('.route .waits')?.textContent === '17 wait'");
        AssertClean(page, site);
    }

    [Theory]
    [InlineData(400)]
    [InlineData(800)]
    [InlineData(1400)]
    public async Task The_page_fits_into_the_window(int width)
    {
        string text = new('r', 120);
        var bridge = new MonitoringPage("/bridgez", "ZeroMQ routes", () => $$"""
            {
              "server": "{{text}}",
              "routes": [{ "name": "{{text}}", "pattern": "pushpull", "security": "CURVE server", "endpoints": ["ipc:///{{text}}"], "subjects": ["{{text}}"],
                "peers": 2, "pushers": 1, "from_zeromq": 1, "dropped": 1, "dropped_because": { "{{text}}": 1 }, "refused": 3, "waiting": 7, "paused": 1,
                "shadow": 1, "window": 8, "in_flight": 4, "credit": 4 }]
            }
            """);
        using var log = new RecentLog();
        log.CreateLogger("server").Write(LogLevel.Information, text);
        var options = new MonitoringOptions { Pages = [bridge], Log = log, Administrator = new AdministratorOptions { Token = "0123456789abcdef", ChangeRoute = static (_, _) => Task.CompletedTask } };
        await using Site site = await Site.StartAsync(static o => o.ServerName = new string('n', 80), options);
        using LineClient client = site.Connect($"{{\"verbose\":false,\"name\":\"{new string('w', 200)}\"}}");
        await using var browser = Chromium.Open("about:blank");
        await using DevTools page = await DevTools.OpenAsync(browser, site.Http.BaseAddress!.ToString());
        await page.ResizeAsync(width, 900);
        await page.UntilAsync("document.querySelectorAll('#rows tr').length === 1 && document.querySelectorAll('.route').length === 1 && document.querySelectorAll('#loglines li').length === 1");
        await page.ReadAsync("document.getElementById('loginsecret').focus()");
        await page.TypeAsync("0123456789abcdef");
        await page.PressAsync("Enter", "\r");
        await page.UntilAsync("document.querySelectorAll('[data-change]:not([hidden])').length === 2");
        // A scroll bar makes the page narrower than the window.
        string fits = $"String(innerWidth === {width} && document.documentElement.scrollWidth === document.documentElement.clientWidth)";
        Assert.Equal("true", await page.ReadAsync(fits));
        await page.ReadAsync("document.querySelector('#rows a').click()");
        await page.UntilAsync("document.getElementById('onesubs').textContent === 'none'");
        Assert.Equal("true", await page.ReadAsync(fits));
        AssertClean(page, site);
    }

    [Theory]
    [InlineData("light")]
    [InlineData("dark")]
    public async Task Every_text_has_enough_contrast(string scheme)
    {
        var bridge = new MonitoringPage("/bridgez", "ZeroMQ routes", static () => """
            {
              "server": null,
              "routes": [{ "name": "jobs", "pattern": "pushpull", "security": "CURVE server", "endpoints": ["push tcp://127.0.0.1:5557"],
                "peers": 2, "from_zeromq": 1, "to_subjects": 1, "from_subjects": 0, "to_zeromq": 0, "dropped": 1, "refused": 3,
                "refused_because": { "TooLarge": 3 }, "waiting": 7, "paused": 1, "shadow": 1 },
                { "name": "logs", "pattern": "pushpull", "endpoints": [], "subjects": ["logs"], "pushers": 1, "pullers": 0, "peers": 1,
                "from_zeromq": 0, "dropped": 0, "refused": 0, "window": 8, "in_flight": 8, "credit": 0, "shadow": 0 }]
            }
            """);
        await using Site site = await Site.StartAsync(monitoring: new MonitoringOptions { Pages = [bridge] });
        using LineClient client = site.Connect("{\"verbose\":false,\"name\":\"reader\"}", "SUB a.> 1\r\n");
        await using var browser = Chromium.Open("about:blank");
        await using DevTools page = await DevTools.OpenAsync(browser, site.Http.BaseAddress!.ToString());
        await page.PreferAsync(scheme);
        await page.UntilAsync("document.querySelectorAll('#rows tr').length === 1 && document.querySelectorAll('.route .bad').length === 3");
        Assert.Empty(await page.ReadFaintTextsAsync());
        await page.ReadAsync("document.querySelector('#rows a').click()");
        await page.UntilAsync("document.getElementById('onesubs').textContent === 'a.>'");
        Assert.Equal(scheme == "dark" ? "true" : "false", await page.ReadAsync("String(matchMedia('(prefers-color-scheme: dark)').matches)"));

        Assert.Empty(await page.ReadFaintTextsAsync());
        // The check finds a faint text.
        await page.ReadAsync("document.querySelector('h1').style.color = getComputedStyle(document.body).backgroundColor");
        Assert.Single(await page.ReadFaintTextsAsync());
        AssertClean(page, site);
    }

    internal static void AssertClean(DevTools page, Site site)
    {
        Assert.Empty(page.Errors);
        Assert.NotEmpty(page.Requests);
        Assert.All(
            page.Requests.Where(static r => !r.StartsWith("data:", StringComparison.Ordinal) && r != "about:blank"),
            r => Assert.StartsWith(site.Http.BaseAddress!.ToString(), r, StringComparison.Ordinal));
    }

    private static Task PublishAsync(LineClient client, CancellationToken stop) => Task.Run(
        async () =>
        {
            while (!stop.IsCancellationRequested)
            {
                client.Send("PUB a.b 5\r\nhello\r\n");
                await Task.Delay(10, Ended);
            }
        },
        Ended);
}
