using System.Globalization;
using System.Net;
using System.Text.Json;
using System.Text.RegularExpressions;
using Broker.AspNetCore.Tests.Harness;
using Broker.Server;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;

namespace Broker.AspNetCore.Tests.Live;

/// <summary>The stream and the files of the live page.</summary>
public sealed partial class LiveFeedTests
{
    private const int MaxPageBytes = 100 * 1024;

    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    [Fact]
    public async Task The_stream_has_events_of_JSON_with_names_as_clients_gave_them()
    {
        await using Site site = await Site.StartAsync();
        using LineClient client = site.Connect("{\"verbose\":false,\"name\":\"a\\nb\"}");
        using HttpResponseMessage stream = await OpenAsync(site.Http, "live?sort=subs");
        Assert.Equal("text/event-stream", stream.Content.Headers.ContentType!.MediaType);
        using var reader = new StreamReader(await stream.Content.ReadAsStreamAsync(Ended));
        long last = 0;
        for (int i = 0; i < 3; i++)
        {
            JsonElement snapshot = await NextAsync(reader);
            Assert.True(snapshot.GetProperty("now").GetInt64() > last);
            last = snapshot.GetProperty("now").GetInt64();
            Assert.Equal("a\nb", snapshot.GetProperty("list")[0].GetProperty("name").GetString());
            Assert.Equal(1, snapshot.GetProperty("total").GetInt32());
        }
    }

    [Fact]
    public async Task Pages_with_the_same_parameters_share_snapshots_and_without_a_page_there_are_none()
    {
        const int Pages = 20;
        await using BrokerServer server = await BrokerServer.StartAsync(static o => o.Listen(0), Ended);
        var feed = new LiveFeed(server, new MonitoringOptions());
        Assert.Equal(0, feed.Computed);
        using var close = CancellationTokenSource.CreateLinkedTokenSource(Ended);
        var bodies = new MemoryStream[Pages];
        long before = Environment.TickCount64;
        Task[] pages = [.. Enumerable.Range(0, Pages).Select(i =>
        {
            var context = new DefaultHttpContext { RequestAborted = close.Token };
            context.Response.Body = bodies[i] = new MemoryStream();
            return feed.ServeAsync(context);
        })];
        await Wait.UntilAsync(() => feed.Computed >= 3, Ended);
        await close.CancelAsync();
        await Task.WhenAll(pages);
        Assert.All(bodies, static body => Assert.NotEqual(0, body.Length));
        // One in each second that has begun.
        Assert.InRange(feed.Computed, 3, ((Environment.TickCount64 - before) / 1000) + 2);
        long last = feed.Computed;
        await Task.Delay(TimeSpan.FromSeconds(2), Ended);
        Assert.Equal(last, feed.Computed);
    }

    [Fact]
    public async Task A_hundred_open_pages_leave_all_places_to_requests_and_one_too_many_is_refused()
    {
        const int Most = 100;
        await using Site site = await Site.StartAsync(monitoring: new MonitoringOptions { MaxConnections = Most });
        using var http = new HttpClient(new SocketsHttpHandler()) { BaseAddress = site.Http.BaseAddress, Timeout = Wait.Limit };
        HttpResponseMessage[] streams = await Task.WhenAll(Enumerable.Range(0, Most).Select(_ => OpenAsync(http, "live")));
        try
        {
            Assert.All(streams, static s => Assert.Equal(HttpStatusCode.OK, s.StatusCode));
            using HttpResponseMessage refused = await OpenAsync(http, "live");
            Assert.Equal(HttpStatusCode.ServiceUnavailable, refused.StatusCode);
            Assert.Contains("http_max_connections", await refused.Content.ReadAsStringAsync(Ended), StringComparison.Ordinal);
            for (int i = 0; i < 20; i++)
            {
                Assert.True((await site.GetAsync("varz")).TryGetProperty("broker_version", out _));
            }

            foreach (HttpResponseMessage stream in streams)
            {
                using var reader = new StreamReader(await stream.Content.ReadAsStreamAsync(Ended), leaveOpen: true);
                Assert.True((await NextAsync(reader)).GetProperty("healthy").GetBoolean());
            }
        }
        finally
        {
            Array.ForEach(streams, static s => s.Dispose());
        }

        // The closed pages give their places back.
        await Wait.UntilAsync(
            async () =>
            {
                using HttpResponseMessage again = await OpenAsync(http, "live");
                return again.StatusCode == HttpStatusCode.OK;
            },
            "a page can be opened again");
    }

    [Fact]
    public async Task An_open_page_does_not_delay_the_stop()
    {
        Site site = await Site.StartAsync();
        using var http = new HttpClient { BaseAddress = site.Http.BaseAddress, Timeout = Wait.Limit };
        using HttpResponseMessage stream = await OpenAsync(http, "live");
        using var reader = new StreamReader(await stream.Content.ReadAsStreamAsync(Ended));
        await NextAsync(reader);
        Task ended = reader.ReadToEndAsync(Ended);
        await site.DisposeAsync();
        // The stream ends in good order: it is not reset.
        await ended;
    }

    [Theory]
    [InlineData("live?sort=color", "invalid sorting option: color")]
    [InlineData("live?state=lost", "Error decoding state for lost")]
    public async Task A_wrong_parameter_is_refused_with_the_reason(string address, string text)
    {
        await using Site site = await Site.StartAsync();
        using HttpResponseMessage answer = await OpenAsync(site.Http, address);
        Assert.Equal(HttpStatusCode.BadRequest, answer.StatusCode);
        Assert.Equal(text, await answer.Content.ReadAsStringAsync(Ended));
    }

    [Theory]
    [InlineData("")]
    [InlineData("live")]
    [InlineData("live.js")]
    [InlineData("live-routes.js")]
    [InlineData("live.css")]
    public async Task All_parts_have_the_access_rule_of_the_pages(string path)
    {
        await using Site site = await Site.StartAsync(monitoring: new MonitoringOptions { Authorize = static _ => false });
        using HttpResponseMessage answer = await OpenAsync(site.Http, path);
        Assert.Equal(HttpStatusCode.Unauthorized, answer.StatusCode);
    }

    [Fact]
    public async Task The_page_and_its_files_are_small_and_refer_only_to_their_own_folder()
    {
        await using Site site = await Site.StartAsync();
        using HttpResponseMessage page = await site.Http.GetAsync("", Ended);
        string policy = page.Headers.GetValues("Content-Security-Policy").Single();
        Assert.Contains("script-src 'self'", policy, StringComparison.Ordinal);
        Assert.DoesNotContain("unsafe", policy, StringComparison.Ordinal);
        string html = await page.Content.ReadAsStringAsync(Ended);
        Assert.All(Reference().Matches(html), static m => Assert.Matches("^(\\./|data:,)", m.Groups[1].Value));
        Assert.DoesNotContain("style=", html, StringComparison.Ordinal);
        Assert.Contains("<title>broker</title>", html, StringComparison.Ordinal);
        Assert.Contains("0 connections", html, StringComparison.Ordinal);
        string script = await site.Http.GetStringAsync("live.js", Ended) + await site.Http.GetStringAsync("live-routes.js", Ended);
        string style = await site.Http.GetStringAsync("live.css", Ended);
        Assert.DoesNotContain("://", script + style, StringComparison.Ordinal);
        Assert.True(html.Length + script.Length + style.Length < MaxPageBytes);
    }

    [Theory]
    [InlineData("127.0.0.1", false, false)]
    [InlineData("::1", false, false)]
    [InlineData("0.0.0.0", false, true)]
    [InlineData("::", false, true)]
    [InlineData("100.64.0.1", false, true)]
    [InlineData("0.0.0.0", true, false)]
    public async Task A_page_that_strangers_can_open_says_so(string address, bool hasRule, bool isOpen)
    {
        await using BrokerServer server = await BrokerServer.StartAsync(static o => o.Listen(0), Ended);
        var options = new MonitoringOptions
        {
            EndPoint = new IPEndPoint(IPAddress.Parse(address), 8222),
            Authorize = hasRule ? static _ => true : null,
        };
        Assert.Equal(isOpen, IndexPage.Write(server.Inspect(), options).Contains("Everybody who can connect", StringComparison.Ordinal));
    }

    [Fact]
    public async Task Below_a_prefix_the_page_is_in_a_folder()
    {
        await using BrokerServer server = await BrokerServer.StartAsync(static o => o.Listen(0), Ended);
        WebApplicationBuilder builder = WebApplication.CreateEmptyBuilder(new WebApplicationOptions());
        builder.WebHost.UseKestrelCore().ConfigureKestrel(static k => k.Listen(IPAddress.Loopback, 0));
        builder.Services.AddRoutingCore();
        await using WebApplication application = builder.Build();
        application.MapBrokerMonitoring(server);
        await application.StartAsync(Ended);
        string address = application.Services.GetRequiredService<IServer>().Features.Get<IServerAddressesFeature>()!.Addresses.Single();
        using var http = new HttpClient(new HttpClientHandler { AllowAutoRedirect = false }) { BaseAddress = new Uri(address), Timeout = Wait.Limit };
        using HttpResponseMessage page = await http.GetAsync("/broker", Ended);
        Assert.Equal(HttpStatusCode.PermanentRedirect, page.StatusCode);
        Assert.Equal("broker/", page.Headers.Location!.OriginalString);
        Assert.Contains("src=\"./live.js\"", await http.GetStringAsync("/broker/", Ended), StringComparison.Ordinal);
        Assert.Contains("EventSource", await http.GetStringAsync("/broker/live.js", Ended), StringComparison.Ordinal);
        using HttpResponseMessage stream = await OpenAsync(http, "/broker/live");
        using var reader = new StreamReader(await stream.Content.ReadAsStreamAsync(Ended));
        Assert.Equal(0, (await NextAsync(reader)).GetProperty("total").GetInt32());
    }

    // The contrast ratio of WCAG 2.1: 4.5 is its level AA for text.
    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    public async Task Texts_have_the_contrast_that_WCAG_asks_for(int theme)
    {
        await using Site site = await Site.StartAsync();
        string style = await site.Http.GetStringAsync("live.css", Ended);
        Dictionary<string, double>[] themes = [.. Theme().Matches(style).Select(static t => Color().Matches(t.Value)
            .ToDictionary(static c => c.Groups[1].Value, static c => Luminance(c.Groups[2].Value), StringComparer.Ordinal))];
        Assert.Equal(2, themes.Length);
        Dictionary<string, double> colors = themes[theme];
        foreach (string text in (string[])["text", "muted", "link"])
        {
            foreach (string back in (string[])["back", "panel", "head"])
            {
                AssertReadable(text, back);
            }
        }

        AssertReadable("badtext", "bad");
        AssertReadable("goodtext", "good");
        AssertReadable("warntext", "warn");
        AssertReadable("infotext", "info");
        AssertReadable("bad", "panel");
        AssertReadable("in", "panel");
        AssertReadable("out", "panel");

        void AssertReadable(string text, string back)
        {
            double ratio = (Math.Max(colors[text], colors[back]) + 0.05) / (Math.Min(colors[text], colors[back]) + 0.05);
            Assert.True(ratio >= 4.5, $"{text} on {back}: {ratio}");
        }
    }

    private static Task<HttpResponseMessage> OpenAsync(HttpClient http, string address)
        => http.GetAsync(address, HttpCompletionOption.ResponseHeadersRead, Ended);

    private static async Task<JsonElement> NextAsync(StreamReader reader)
    {
        string line = await reader.ReadLineAsync(Ended) ?? throw new EndOfStreamException();
        Assert.StartsWith("data: {", line, StringComparison.Ordinal);
        Assert.Equal("", await reader.ReadLineAsync(Ended));
        using var json = JsonDocument.Parse(line["data: ".Length..]);
        return json.RootElement.Clone();
    }

    private static double Luminance(string hex)
    {
        double[] parts = [.. Enumerable.Range(0, 3).Select(i => Linear(int.Parse(hex.AsSpan(2 * i, 2), NumberStyles.HexNumber, CultureInfo.InvariantCulture) / 255.0))];
        return (0.2126 * parts[0]) + (0.7152 * parts[1]) + (0.0722 * parts[2]);

        static double Linear(double part) => part <= 0.04045 ? part / 12.92 : Math.Pow((part + 0.055) / 1.055, 2.4);
    }

    [GeneratedRegex("(?:href|src)=\"([^\"]*)\"", RegexOptions.None, matchTimeoutMilliseconds: 10_000)]
    private static partial Regex Reference();

    [GeneratedRegex(@":root \{[^}]*\}", RegexOptions.None, matchTimeoutMilliseconds: 10_000)]
    private static partial Regex Theme();

    [GeneratedRegex("--([a-z]+): #([0-9a-f]{6})", RegexOptions.None, matchTimeoutMilliseconds: 10_000)]
    private static partial Regex Color();
}
