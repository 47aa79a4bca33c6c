using System.Text;
using Broker.AspNetCore.Tests.Harness;
using Broker.Client;
using Broker.Client.Streams;
using Broker.Server;
using Broker.Streams;
using Broker.TestKit.Browsers;

namespace Broker.AspNetCore.Tests.Live;

/// <summary>The leaf links, the streams and the administrator's buttons of routes, in a real browser.</summary>
public sealed class LivePartsTests
{
    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    [Fact]
    public async Task A_leaf_link_shows_its_rates_and_a_lost_one_needs_attention()
    {
        await using Site site = await Site.StartAsync();
        long messages = 0;
        bool isConnected = true;
        site.Server.DescribeLeafNodes = () =>
        [
            new LeafNodeDescription
            {
                Account = "$G", Addresses = ["nats-leaf://hub:7422"], Name = "<b>hub</b>", Host = "hub", Port = 7422,
                IsConnected = Volatile.Read(ref isConnected), MessagesIn = Interlocked.Add(ref messages, 10), BytesOut = 100 * messages,
            },
        ];
        await using var browser = Chromium.Open("about:blank");
        await using DevTools page = await DevTools.OpenAsync(browser, site.Http.BaseAddress!.ToString());
        await page.UntilAsync("parseFloat(document.querySelector('#leafrows tr').cells[5].textContent) > 0 && document.querySelector('#leafrows tr').cells[8].textContent.length > 1");
        Assert.Equal("<b>hub</b>", await page.ReadAsync("document.querySelector('#leafrows tr').cells[0].textContent"));
        Assert.Equal("connected", await page.ReadAsync("document.querySelector('#leafrows .badge').textContent"));
        await page.UntilAsync("document.getElementById('summary').textContent === 'Nothing needs attention.'");
        Volatile.Write(ref isConnected, false);
        await page.UntilAsync("document.querySelector('#leafrows .bad').textContent === 'not connected'");
        await page.UntilAsync("document.getElementById('summary').textContent === 'Needs attention: 1 of 1 leaf links are not connected.'");
        LivePageTests.AssertClean(page, site);
    }

    [Fact]
    public async Task Streams_show_their_messages_rates_and_consumers()
    {
        string folder = Directory.CreateTempSubdirectory("streams").FullName;
        try
        {
            await using Site site = await Site.StartAsync(streams: ServerStreams.In(folder));
            await using BrokerConnection client = await BrokerConnection.ConnectAsync(new ClientOptions { Dialer = site.Server.CreateDialer(), ConnectTimeout = Wait.Limit }, Ended);
            StreamsClient streams = client.Streams();
            await using var browser = Chromium.Open("about:blank");
            await using DevTools page = await DevTools.OpenAsync(browser, site.Http.BaseAddress!.ToString());
            await page.UntilAsync("document.getElementById('streamnote').textContent === 'No stream exists yet.' && document.getElementById('streamtable').hidden");
            await streams.CreateStreamAsync(new StreamConfig("ORDERS", "orders.>"), Ended);
            await streams.CreateConsumerAsync("ORDERS", new ConsumerConfig("billing"), Ended);
            for (int i = 0; i < 20; i++)
            {
                await streams.PublishAsync("orders.new", new byte[100], cancellationToken: Ended);
            }

            await page.UntilAsync("document.querySelectorAll('#streamrows tr').length === 1 && document.querySelector('#streamrows tr').cells[2].textContent === '20'");
            Assert.Equal(
                "ORDERS|$G|1|20|works",
                await page.ReadAsync("[0, 1, 6, 7, 9].map(i => document.querySelector('#streamrows tr').cells[i].textContent).join('|')"));
            // The rate of a stream is that of its last number.
            using var stop = new CancellationTokenSource();
            var publishing = Task.Run(
                async () =>
                {
                    while (!stop.IsCancellationRequested)
                    {
                        await streams.PublishAsync("orders.new", new byte[100], cancellationToken: Ended);
                        await Task.Delay(10, Ended);
                    }
                },
                Ended);
            try
            {
                await page.UntilAsync("parseFloat(document.querySelector('#streamrows tr').cells[4].textContent) > 0");
            }
            finally
            {
                await stop.CancelAsync();
                await publishing;
            }

            LivePageTests.AssertClean(page, site);
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    [Fact]
    public async Task A_damaged_stream_is_marked_and_needs_attention_and_its_name_is_text()
    {
        var streams = new FakeStreams(
            "[{\"name\":\"<b>A\",\"state\":{\"messages\":3,\"bytes\":9,\"last_seq\":3,\"consumer_count\":0}},{\"name\":\"B\",\"state\":{}}]",
            ["the stream '<b>A' of the account '$G' is damaged: file '1.log', offset 7, sequence 2"]);
        await using Site site = await Site.StartAsync(streams: (_, _) => Task.FromResult<IServerStreams>(streams));
        await using var browser = Chromium.Open("about:blank");
        await using DevTools page = await DevTools.OpenAsync(browser, site.Http.BaseAddress!.ToString());
        await page.UntilAsync("document.querySelectorAll('#streamrows tr').length === 2");
        Assert.Equal("damaged|works", await page.ReadAsync("[...document.querySelectorAll('#streamrows .badge')].map(b => b.textContent).join('|')"));
        Assert.Equal("<b>A", await page.ReadAsync("document.querySelector('#streamrows tr').cells[0].textContent"));
        await page.UntilAsync("document.querySelectorAll('#streamproblems li').length === 1 && document.getElementById('summary').textContent.includes('sequence 2')");
        LivePageTests.AssertClean(page, site);
    }

    [Fact]
    public async Task Of_very_many_streams_only_the_number_is_read()
    {
        var streams = new FakeStreams("[]", [], count: 5_000);
        await using Site site = await Site.StartAsync(streams: (_, _) => Task.FromResult<IServerStreams>(streams));
        await using var browser = Chromium.Open("about:blank");
        await using DevTools page = await DevTools.OpenAsync(browser, site.Http.BaseAddress!.ToString());
        await page.UntilAsync("document.getElementById('streamnote').textContent === '5,000 streams are too many to show here.'");
        Assert.False(streams.WereListed);
    }

    [Fact]
    public async Task Behind_a_proxy_that_serves_the_page_below_a_path_it_is_live_and_an_administrator_can_act()
    {
        await using Site site = await Site.StartAsync(monitoring: new MonitoringOptions { Administrator = new AdministratorOptions { Token = "0123456789abcdef" } });
        int reloads = 0;
        site.Server.RereadConfiguration = () => Task.FromResult(Interlocked.Increment(ref reloads));
        using LineClient client = site.Connect("{\"verbose\":false,\"name\":\"first\"}");
        await using PrefixProxy proxy = await PrefixProxy.StartAsync("/ops/broker", site.Http.BaseAddress!);
        await using var browser = Chromium.Open("about:blank");
        await using DevTools page = await DevTools.OpenAsync(browser, proxy.Origin + "/ops/broker/");
        await page.UntilAsync("document.querySelectorAll('#rows tr').length === 1");
        // The next event comes through the proxy too.
        using LineClient other = site.Connect("{\"verbose\":false,\"name\":\"second\"}");
        await page.UntilAsync("document.querySelectorAll('#rows tr').length === 2");
        await page.ReadAsync("document.getElementById('loginsecret').focus()");
        await page.TypeAsync("0123456789abcdef");
        await page.PressAsync("Enter", "\r");
        await page.UntilAsync("document.getElementById('adminname').textContent === 'Logged in as token.'");
        await page.ReadAsync("document.getElementById('reload').click()");
        await page.UntilAsync("document.getElementById('adminsays').textContent === 'the configuration was read again'");
        Assert.Equal(1, reloads);
        Assert.Empty(page.Errors);
        Assert.All(
            page.Requests.Where(static r => !r.StartsWith("data:", StringComparison.Ordinal) && r != "about:blank"),
            r => Assert.StartsWith(proxy.Origin + "/ops/broker/", r, StringComparison.Ordinal));
    }

    [Fact]
    public async Task An_administrator_pauses_and_resumes_a_route_and_ends_its_shadow_by_keyboard()
    {
        int paused = 0, shadow = 1;
        var bridge = new MonitoringPage("/bridgez", "ZeroMQ routes", () => $$"""
            {
              "server": "s", "routes": [{ "name": "jobs", "pattern": "pushpull", "endpoints": [], "peers": 0, "from_zeromq": 0,
              "paused": {{Volatile.Read(ref paused)}}, "shadow": {{Volatile.Read(ref shadow)}} }]
            }
            """);
        var administrator = new AdministratorOptions
        {
            Token = "0123456789abcdef",
            ChangeRoute = (route, change) =>
            {
                Assert.Equal("jobs", route);
                _ = change switch
                {
                    RouteChange.Pause => Interlocked.Exchange(ref paused, 1),
                    RouteChange.Resume => Interlocked.Exchange(ref paused, 0),
                    _ => Interlocked.Exchange(ref shadow, change == RouteChange.BeginShadow ? 1 : 0),
                };
                return Task.CompletedTask;
            },
        };
        await using Site site = await Site.StartAsync(monitoring: new MonitoringOptions { Pages = [bridge], Administrator = administrator });
        await using var browser = Chromium.Open("about:blank");
        await using DevTools page = await DevTools.OpenAsync(browser, site.Http.BaseAddress!.ToString());
        await page.UntilAsync("document.querySelectorAll('.route').length === 1 && document.querySelectorAll('[data-change]').length === 0");
        await page.ReadAsync("document.getElementById('loginsecret').focus()");
        await page.TypeAsync("0123456789abcdef");
        await page.PressAsync("Enter", "\r");
        await page.UntilAsync("document.querySelectorAll('[data-change]:not([hidden])').length === 2");
        await page.ReadAsync("document.querySelector('[data-change=pause]').focus()");
        await page.PressAsync("Enter", "\r");
        Assert.Equal("Really? Pause", await page.ReadAsync("document.querySelector('[data-change=pause]').textContent"));
        await page.PressAsync("Enter", "\r");
        // The focus moves to the button that takes the action back.
        await page.UntilAsync("document.querySelector('.route .warn').textContent === 'paused' && document.activeElement.dataset.change === 'resume'");
        await page.UntilAsync("document.getElementById('summary').textContent === 'Needs attention: route jobs is paused.'");
        await page.PressAsync("Enter", "\r");
        await page.UntilAsync("document.querySelector('.route .warn') === null");
        await page.ReadAsync("document.querySelector('[data-change=end_shadow]').focus()");
        await page.PressAsync("Enter", "\r");
        await page.PressAsync("Enter", "\r");
        await page.UntilAsync("document.querySelector('.route .marks').textContent === 'takes part'");
        Assert.Equal("route jobs: its programs take part", await page.ReadAsync("document.getElementById('adminsays').textContent"));
        LivePageTests.AssertClean(page, site);
    }

    private sealed class FakeStreams(string json, IReadOnlyList<string> problems, int count = 2) : IServerStreams
    {
        internal bool WereListed { get; private set; }

        public string? Domain => null;

        public bool HasStreams(string account) => account == "$G";

        public ReadOnlyMemory<byte> Refuse(string request) => default;

        public StreamsDescription Describe() => new() { Directory = "data", Accounts = ["$G"], Problems = problems };

        public Task<IReadOnlyList<AccountStreamsDescription>> DescribeAccountsAsync(StreamsQuery query, CancellationToken cancellationToken)
        {
            WereListed |= query.WithStreams;
            return Task.FromResult<IReadOnlyList<AccountStreamsDescription>>(
                [new AccountStreamsDescription("$G") { Streams = count, StreamsJson = query.WithStreams ? Encoding.UTF8.GetBytes(json) : default }]);
        }

        public ValueTask DisposeAsync() => ValueTask.CompletedTask;
    }
}
