using System.Net;
using System.Net.Sockets;
using System.Text.Json;
using Broker.AspNetCore.Tests.Harness;
using Broker.Server;
using Broker.Transport;

namespace Broker.AspNetCore.Tests.Monitoring;

public sealed class PageTests
{
    private const string Hostile = "<script>alert(1)</script>'\\\"&\\n}";

    [Fact]
    public async Task A_hostile_name_is_escaped_wherever_it_is_shown()
    {
        await using Site site = await Site.StartAsync(o => o.ServerName = "<img src=x onerror=alert(1)>\"\n");
        using LineClient client = site.Connect($"{{\"verbose\":false,\"name\":\"{Hostile}\"}}", "SUB <b> <i>\r\n");
        foreach (string path in new[] { "", "varz", "connz?subs=detail", "subsz?subs=1", "accountz" })
        {
            string text = (await site.Http.GetStringAsync(path, TestContext.Current.CancellationToken))
                .Replace("<script src=\"./live-routes.js\" defer></script>", "", StringComparison.Ordinal)
                .Replace("<script src=\"./live.js\" defer></script>", "", StringComparison.Ordinal);
            Assert.DoesNotContain("<script", text, StringComparison.OrdinalIgnoreCase);
            Assert.DoesNotContain("<img", text, StringComparison.OrdinalIgnoreCase);
            Assert.DoesNotContain("<b>", text, StringComparison.OrdinalIgnoreCase);
        }

        JsonElement shown = (await site.GetAsync("connz")).GetProperty("connections")[0].GetProperty("name");
        Assert.Equal("<script>alert(1)</script>'\"&\n}", shown.GetString());
        MetricsParser.Parse(await site.Http.GetStringAsync("metrics", TestContext.Current.CancellationToken));
    }

    [Fact]
    public async Task Metrics_are_strict_Prometheus_text_and_count_what_happened()
    {
        await using Site site = await Site.StartAsync();
        using LineClient client = site.Connect(more: "SUB a 1\r\nSUB a 2\r\nPUB a 5\r\nhello\r\n");
        using HttpResponseMessage answer = await site.Http.GetAsync("metrics", TestContext.Current.CancellationToken);
        Assert.Equal("text/plain; version=0.0.4; charset=utf-8", answer.Content.Headers.ContentType!.ToString());
        Dictionary<string, double> values =
            MetricsParser.Parse(await answer.Content.ReadAsStringAsync(TestContext.Current.CancellationToken));
        Assert.Equal(1, values["broker_connections"]);
        Assert.Equal(2, values["broker_subscriptions"]);
        Assert.Equal(1, values["broker_messages_received_total"]);
        Assert.Equal(2, values["broker_messages_sent_total"]);
        Assert.Equal(5, values["broker_payload_received_bytes_total"]);
        Assert.Equal(10, values["broker_payload_sent_bytes_total"]);
    }

    [Fact]
    public async Task Health_says_ok_and_then_that_the_server_is_leaving()
    {
        await using Site site = await Site.StartAsync();
        CancellationToken cancellation = TestContext.Current.CancellationToken;
        Assert.Equal("{\"status\":\"ok\"}", await site.Http.GetStringAsync("healthz", cancellation));
        await site.Server.DrainAsync(TimeSpan.Zero, cancellation);
        using HttpResponseMessage answer = await site.Http.GetAsync("healthz", cancellation);
        Assert.Equal(HttpStatusCode.ServiceUnavailable, answer.StatusCode);
    }

    [Fact]
    public async Task Who_may_not_look_is_answered_401_everywhere_but_at_health()
    {
        await using Site site = await Site.StartAsync(monitoring: new MonitoringOptions { Authorize = _ => false });
        foreach (string path in new[] { "", "varz", "connz", "subsz", "accountz", "metrics" })
        {
            using HttpResponseMessage answer = await site.Http.GetAsync(path, TestContext.Current.CancellationToken);
            Assert.Equal(HttpStatusCode.Unauthorized, answer.StatusCode);
            Assert.Empty(await answer.Content.ReadAsStringAsync(TestContext.Current.CancellationToken));
        }

        Assert.Contains("ok", await site.Http.GetStringAsync("healthz", TestContext.Current.CancellationToken), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Pages_may_be_below_a_path()
    {
        await using Site site = await Site.StartAsync(monitoring: new MonitoringOptions { BasePath = "/broker" });
        Assert.EndsWith("/broker/", site.Http.BaseAddress!.AbsolutePath, StringComparison.Ordinal);
        Assert.Equal("/broker", (await site.GetAsync("varz")).GetProperty("http_base_path").GetString());
        Assert.Contains("./varz", await site.Http.GetStringAsync("", TestContext.Current.CancellationToken), StringComparison.Ordinal);
    }

    [Fact]
    public async Task An_address_that_is_taken_is_named_in_the_error()
    {
        await using BrokerServer server = await BrokerServer.StartAsync(_ => { }, TestContext.Current.CancellationToken);
        using var taken = new TcpListener(IPAddress.Loopback, 0);
        taken.Start();
        ListenException error = await Assert.ThrowsAsync<ListenException>(
            () => MonitoringHost.StartAsync(server, taken.LocalEndpoint, cancellationToken: TestContext.Current.CancellationToken));
        Assert.Equal(SocketError.AddressAlreadyInUse, error.Error);
        Assert.Contains(taken.LocalEndpoint.ToString()!, error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task The_time_of_the_configuration_changes_with_a_reload()
    {
        await using Site site = await Site.StartAsync();
        JsonElement before = await site.GetAsync("varz");
        DateTime start = before.GetProperty("start").GetDateTime();
        DateTime loaded = before.GetProperty("config_load_time").GetDateTime();
        Assert.InRange(loaded, start.AddMinutes(-1), start.AddMinutes(1));
        await Assert.ThrowsAnyAsync<ArgumentException>(() => site.Server.ReloadAsync(static o => o.MaxConnections = -1));
        Assert.Equal(loaded, (await site.GetAsync("varz")).GetProperty("config_load_time").GetDateTime());

        await site.Server.ReloadAsync(static o => o.MaxConnections = 7);

        JsonElement after = await site.GetAsync("varz");
        Assert.True(after.GetProperty("config_load_time").GetDateTime() > loaded);
        Assert.Equal(start, after.GetProperty("start").GetDateTime());
    }
}
