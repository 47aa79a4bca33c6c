using System.Net;
using System.Net.Sockets;
using System.Text;
using Broker.AspNetCore.Tests.Harness;

namespace Broker.AspNetCore.Tests.Monitoring;

/// <summary>Silent and busy connections must not take the pages, and the health probe least of all, from others.</summary>
public sealed class HttpPlacesTests
{
    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData("")]
    [InlineData("GET /varz HTTP/1.1\r\nHost: x\r\n")]
    public async Task A_thousand_silent_connections_take_no_page_from_others(string begun)
    {
        const int Silent = 1_000;
        await using Site site = await Site.StartAsync();
        var silent = new List<TcpClient>();
        try
        {
            for (int i = 0; i < Silent; i++)
            {
                silent.Add(await ConnectIdleAsync(site, begun));
                if (i % 50 == 0)
                {
                    await HealthyAsync(site);
                }
            }

            for (int i = 0; i < 20; i++)
            {
                await HealthyAsync(site);
            }

            Assert.Equal(128, (await site.GetAsync("varz")).GetProperty("http_max_connections").GetInt32());
            // The limit holds: the others were closed.
            await Wait.UntilAsync(() => silent.Count(static c => !IsClosed(c)) <= 128, () => $"{silent.Count(static c => !IsClosed(c))} are open");
        }
        finally
        {
            silent.ForEach(static c => c.Dispose());
        }
    }

    [Fact]
    public async Task While_requests_run_on_all_connections_the_health_probe_is_answered_and_other_pages_are_refused()
    {
        const int Most = 3;
        using var release = new SemaphoreSlim(0);
        using var running = new CountdownEvent(Most);
        var slow = new MonitoringPage("/slow", "slow", () =>
        {
            running.Signal();
            release.Wait(Cancellation);
            return "{}";
        });
        await using Site site = await Site.StartAsync(monitoring: new MonitoringOptions { MaxConnections = Most, Pages = [slow] });
        Task<string>[] requests = [.. Enumerable.Range(0, Most).Select(_ => site.Http.GetStringAsync("slow", Cancellation))];
        await Wait.UntilAsync(() => running.IsSet, "the requests do not run");
        TcpClient[] silent = await Task.WhenAll(Enumerable.Range(0, 50).Select(_ => ConnectIdleAsync(site, "")));
        try
        {
            for (int i = 0; i < 20; i++)
            {
                await HealthyAsync(site);
            }

            using HttpResponseMessage refused = await site.Http.GetAsync("varz", Cancellation);
            Assert.Equal(HttpStatusCode.ServiceUnavailable, refused.StatusCode);
            release.Release(Most);
            Assert.All(await Task.WhenAll(requests), static text => Assert.Equal("{}", text));
            // Now the idle connections make room.
            await Wait.UntilAsync(async () => await CanReadAsync(site), "varz is refused");
        }
        finally
        {
            release.Release(Most);
            Array.ForEach(silent, static c => c.Dispose());
        }
    }

    [Fact]
    public async Task An_incomplete_request_is_closed_within_seconds()
    {
        await using Site site = await Site.StartAsync();
        using TcpClient begun = await ConnectAsync(site, "GET /varz HTTP/1.1\r\n");
        await Wait.UntilAsync(() => IsClosed(begun), "it is not closed");
    }

    private static async Task<bool> CanReadAsync(Site site)
    {
        using HttpResponseMessage answer = await site.Http.GetAsync("varz", Cancellation);
        return answer.StatusCode == HttpStatusCode.OK;
    }

    private static async Task<TcpClient> ConnectAsync(Site site, string begun)
    {
        var client = new TcpClient();
        await client.ConnectAsync(IPAddress.Loopback, site.Http.BaseAddress!.Port, Cancellation);
        await client.GetStream().WriteAsync(Encoding.ASCII.GetBytes(begun), Cancellation);
        return client;
    }

    // The server may reset the connection before the connect returns, to make room for another one.
    private static async Task<TcpClient> ConnectIdleAsync(Site site, string begun)
    {
        var client = new TcpClient();
        try
        {
            await client.ConnectAsync(IPAddress.Loopback, site.Http.BaseAddress!.Port, Cancellation);
            await client.GetStream().WriteAsync(Encoding.ASCII.GetBytes(begun), Cancellation);
        }
        catch (Exception e) when (e is IOException or SocketException { SocketErrorCode: SocketError.ConnectionReset })
        {
            // It was idle longest.
        }

        return client;
    }

    // As a probe does: a connection of its own, and no second attempt.
    private static async Task HealthyAsync(Site site)
    {
        using TcpClient probe = await ConnectAsync(site, "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        using var reader = new StreamReader(probe.GetStream());
        string answer = await reader.ReadToEndAsync(Cancellation).WaitAsync(Wait.Limit, Cancellation);
        Assert.StartsWith("HTTP/1.1 200", answer, StringComparison.Ordinal);
        Assert.Contains("{\"status\":\"ok\"}", answer, StringComparison.Ordinal);
    }

    private static bool IsClosed(TcpClient client)
    {
        byte[] bytes = new byte[256];
        try
        {
            // Before a late request's connection is closed, it is answered with status 408.
            while (client.Client.Poll(0, SelectMode.SelectRead))
            {
                if (client.Client.Receive(bytes) == 0)
                {
                    return true;
                }
            }

            return false;
        }
        catch (SocketException)
        {
            return true;
        }
    }
}
