using System.Net;
using System.Net.Sockets;
using System.Text;
using System.Text.Json;
using System.Text.Json.Nodes;
using Broker.Cli.Tests.Starting;
using Broker.Cryptography;
using Broker.TestKit.Browsers;

namespace Broker.Cli.Tests.Live;

/// <summary>The administrator of the configuration file on the live page of <c>broker serve</c>, over HTTPS.</summary>
public sealed class AdministratorPageTests : IDisposable
{
    private const string Password = "correct horse";

    // A reload refuses another hash, because the administrator cannot change while the broker runs.
    private static readonly string Hash = BcryptVerifier.CreateHash(Encoding.UTF8.GetBytes(Password), cost: 4);

    private readonly TemporaryFolder _folder = new();

    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    public void Dispose() => _folder.Dispose();

    // Only a process of its own can be reloaded and ended from the page.
    [Fact]
    public async Task Over_HTTPS_an_administrator_closes_reloads_pauses_and_begins_lame_duck_mode_in_the_browser()
    {
        string file = _folder.Write("broker.conf", Configuration("orders"));
        await using var broker = PeerProcess.Start(
            "broker", Path.Combine(AppContext.BaseDirectory, "broker"), "serve", "-c", file, "--ports_file_dir", _folder.Path);
        string? ports = null;
        await Wait.UntilAsync(() => (ports = Directory.EnumerateFiles(_folder.Path, "*.ports").FirstOrDefault()) is not null, "the ports file");
        using var addresses = JsonDocument.Parse(await File.ReadAllTextAsync(ports!, Ended));
        string address = addresses.RootElement.GetProperty("monitoring")[0].GetString() + "/";
        Assert.StartsWith("https://", address, StringComparison.Ordinal);
        using Socket client = await ConnectAsync(addresses.RootElement.GetProperty("nats")[0].GetString()!);
        await using var browser = Chromium.Open("about:blank");
        await using DevTools page = await DevTools.OpenAsync(browser, "about:blank");
        // The certificate of the test is from an authority that the browser does not know.
        await page.SendAsync("Security.setIgnoreCertificateErrors", new JsonObject { ["ignore"] = true });
        await page.SendAsync("Page.navigate", new JsonObject { ["url"] = address });
        await LogInAsync(page);
        await ChangeRouteAsync(page);
        await CloseAsync(page, client);
        await ReloadAsync(page);
        // The browser reports the refused reload, and nothing else.
        Assert.All(page.Errors, static error => Assert.Contains("409", error, StringComparison.Ordinal));
        await PressAsync(page, "document.getElementById('lameduck')", twice: true);
        await SaysAsync(page, "lame duck mode has begun");
        await broker.SignalAsync("TERM");
        Assert.True(await broker.WaitForExitAsync() == ExitCode.Success, broker.Errors);

        Assert.Contains("Administrator ops has logged in from 127.0.0.1", broker.Errors, StringComparison.Ordinal);
        Assert.All(
            (string[])["has changed route orders: Pause", "has changed route orders: BeginShadow", "has closed client", "reloads the configuration", "begins lame duck mode"],
            action => Assert.Contains($"Administrator ops from 127.0.0.1 {action}", broker.Errors, StringComparison.Ordinal));
        Assert.DoesNotContain(Password, broker.Errors, StringComparison.Ordinal);
        // Over TLS there is no warning about a password in the clear.
        Assert.DoesNotContain("is sent unencrypted", broker.Errors, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("Origin", "https://evil.example")]
    [InlineData("Origin", null)]
    [InlineData("token", null)]
    public async Task Over_HTTPS_a_forged_request_of_an_administrator_is_refused(string what, string? value)
    {
        string file = _folder.Write("broker.conf", Configuration("orders"));
        await RealRun.WhileServingAsync(
            async addresses =>
            {
                using var handler = new HttpClientHandler { ServerCertificateCustomValidationCallback = static (_, _, _, _) => true };
                using var http = new HttpClient(handler) { BaseAddress = new Uri(addresses.Monitoring.Single() + "/"), Timeout = Wait.Limit };
                Assert.Equal(HttpStatusCode.OK, await AdministratorRequests.PostAsync(http, "login", ("name", "ops"), ("secret", Password)));
                Assert.Equal(HttpStatusCode.OK, await AdministratorRequests.PostAsync(http, "route", ("route", "orders"), ("change", "resume")));
                using HttpRequestMessage forged = await AdministratorRequests.CreateAsync(http, "route", ("route", "orders"), ("change", "pause"));
                string header = what == "token" ? forged.Headers.Single(static h => h.Key.Contains("Verification", StringComparison.Ordinal)).Key : what;
                forged.Headers.Remove(header);
                if (value is not null)
                {
                    forged.Headers.Add(header, value);
                }

                using HttpResponseMessage answer = await http.SendAsync(forged, Ended);
                Assert.Equal(HttpStatusCode.Forbidden, answer.StatusCode);
                string page = await http.GetStringAsync("bridgez", Ended);
                Assert.Contains("\"paused\": 0", page, StringComparison.Ordinal);
            },
            "serve", "-q", "-c", file);
    }

    [Fact]
    public async Task Without_an_administrator_the_command_has_no_address_that_changes_a_route()
    {
        string file = _folder.Write("broker.conf", Configuration("orders").Replace("http_admin", "# http_admin", StringComparison.Ordinal));
        await RealRun.WhileServingAsync(
            async addresses =>
            {
                using var handler = new HttpClientHandler { ServerCertificateCustomValidationCallback = static (_, _, _, _) => true };
                using var http = new HttpClient(handler) { BaseAddress = new Uri(addresses.Monitoring.Single() + "/"), Timeout = Wait.Limit };
                foreach (string path in (string[])["admin", "admin/route", "admin/close", "admin/reload", "admin/lameduck", "admin/login"])
                {
                    using HttpResponseMessage read = await http.GetAsync(path, Ended);
                    using HttpResponseMessage posted = await http.PostAsync(path, new FormUrlEncodedContent([]), Ended);
                    Assert.Equal((HttpStatusCode.NotFound, HttpStatusCode.NotFound), (read.StatusCode, posted.StatusCode));
                }

                Assert.DoesNotContain("id=\"admin\"", await http.GetStringAsync("", Ended), StringComparison.Ordinal);
            },
            "serve", "-q", "-c", file);
    }

    private static string Configuration(string route)
    {
        (string certificate, string key) = (TestCertificates.Common.CertificateFile, TestCertificates.Common.KeyFile);
        return $$"""
            port: -1
            https: "127.0.0.1:-1"
            tls { cert_file: "{{certificate}}", key_file: "{{key}}", timeout: 60 }
            allow_non_tls: true
            http_admin { user: ops, password: "{{Hash}}" }
            zeromq { routes: [ { pattern: pushpull, name: {{route}}, subject: work.{{route}}, pushers: [], pullers: "tcp://127.0.0.1:*" } ] }

            """;
    }

    private static async Task<Socket> ConnectAsync(string url)
    {
        var socket = new Socket(SocketType.Stream, ProtocolType.Tcp);
        await socket.ConnectAsync(IPAddress.Loopback, new Uri(url).Port, Ended);
        await socket.SendAsync(Encoding.ASCII.GetBytes("CONNECT {\"verbose\":false,\"name\":\"victim\"}\r\n"), Ended);
        return socket;
    }

    private static async Task LogInAsync(DevTools page)
    {
        await page.UntilAsync("!document.getElementById('admin').hidden && document.querySelectorAll('.route').length === 1");
        await page.ReadAsync("document.getElementById('loginname').focus()");
        await page.TypeAsync("ops");
        await page.PressAsync("Tab");
        await page.TypeAsync(Password);
        await page.PressAsync("Enter", "\r");
        await page.UntilAsync("document.getElementById('adminname').textContent === 'Logged in as ops.' && document.querySelectorAll('[data-change]:not([hidden])').length === 2");
    }

    private static async Task ChangeRouteAsync(DevTools page)
    {
        await PressAsync(page, "document.querySelector('[data-change=pause]')", twice: true);
        await page.UntilAsync("document.querySelector('.route .marks .warn').textContent === 'paused'");
        await PressAsync(page, "document.querySelector('[data-change=resume]')", twice: false);
        await page.UntilAsync("document.querySelector('.route .marks .warn') === null");
        await PressAsync(page, "document.querySelector('[data-change=begin_shadow]')", twice: true);
        await page.UntilAsync("document.querySelector('.route .marks .info').textContent.startsWith('shadow')");
    }

    private static async Task CloseAsync(DevTools page, Socket client)
    {
        await page.UntilAsync("[...document.querySelectorAll('#rows a')].some(a => a.textContent.includes('victim'))");
        await page.ReadAsync("[...document.querySelectorAll('#rows a')].find(a => a.textContent.includes('victim')).click()");
        await page.UntilAsync("document.getElementById('onestate').textContent === 'connected'");
        await PressAsync(page, "document.getElementById('closeone')", twice: true);
        await page.UntilAsync("document.getElementById('onestate').textContent === 'closed: Kicked'");
        byte[] buffer = new byte[4096];
        while (await client.ReceiveAsync(buffer, Ended) > 0)
        {
        }

        await page.ReadAsync("document.getElementById('back').click()");
    }

    private async Task ReloadAsync(DevTools page)
    {
        _folder.Write("broker.conf", Configuration("other"));
        await PressAsync(page, "document.getElementById('reload')", twice: false);
        await SaysAsync(page, "the configuration was read again");
        await page.UntilAsync("document.querySelector('.route h3').textContent === 'other'");
        _folder.Write("broker.conf", Configuration("other") + "max_payload: nonsense\n");
        await PressAsync(page, "document.getElementById('reload')", twice: false);
        await page.UntilAsync("document.getElementById('adminsays').textContent.includes('max_payload') && document.getElementById('adminsays').className.includes('bad')");
    }

    private static async Task PressAsync(DevTools page, string button, bool twice)
    {
        await page.UntilAsync($"!{button}.hidden");
        await page.ReadAsync($"{button}.focus()");
        await page.PressAsync("Enter", "\r");
        if (twice)
        {
            await page.PressAsync("Enter", "\r");
        }
    }

    private static Task SaysAsync(DevTools page, string text) => page.UntilAsync($"document.getElementById('adminsays').textContent === '{text}'");
}
