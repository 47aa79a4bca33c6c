using System.Net;
using System.Security.Cryptography;
using System.Text;
using System.Text.Json;
using Broker.AspNetCore.Tests.Harness;
using Broker.Server;
using Broker.TestKit.Browsers;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace Broker.AspNetCore.Tests.Live;

/// <summary>The log-in and the actions of the live page's administrator.</summary>
public sealed class AdministratorTests
{
    private const string Password = "correct horse";

    private static readonly string[] Actions = ["login", "logout", "close", "reload", "lameduck", "route"];

    public static TheoryData<string> Paths => [.. Actions];

    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    [Theory]
    [MemberData(nameof(Paths))]
    public async Task Without_an_administrator_there_is_no_address_that_changes_anything(string action)
    {
        await using Site site = await Site.StartAsync();
        using HttpRequestMessage request = Request(site, action, []);
        using HttpResponseMessage answer = await site.Http.SendAsync(request, Ended);
        Assert.Equal(HttpStatusCode.NotFound, answer.StatusCode);
        using HttpResponseMessage state = await site.Http.GetAsync("admin", Ended);
        Assert.Equal(HttpStatusCode.NotFound, state.StatusCode);
        Assert.DoesNotContain("admin\"", await site.Http.GetStringAsync("", Ended), StringComparison.Ordinal);
    }

    [Fact]
    public async Task An_administrator_closes_a_client_reloads_and_begins_lame_duck_mode_and_the_log_names_the_administrator()
    {
        var log = new LogLines();
        bool isLameDuck = false;
        AdministratorOptions options = Options(log);
        options.EnterLameDuck = () =>
        {
            isLameDuck = true;
            return Task.CompletedTask;
        };
        await using Site site = await Site.StartAsync(monitoring: new MonitoringOptions { Administrator = options });
        int reloads = 0;
        site.Server.RereadConfiguration = () => Interlocked.Increment(ref reloads) == 2 ? throw new InvalidOperationException("line 3 is wrong") : Task.CompletedTask;
        using LineClient client = site.Connect();
        string id = (await site.GetAsync("connz")).GetProperty("connections")[0].GetProperty("cid").ToString();

        Assert.Equal((HttpStatusCode.OK, "logged in as ops"), await LogInAsync(site, "ops", Password));
        Assert.Equal("ops", (await site.GetAsync("admin")).GetProperty("name").GetString());
        Assert.Equal((HttpStatusCode.OK, $"client {id} was closed"), await ActAsync(site, "close", ("cid", id)));
        await Wait.UntilAsync(async () => (await site.GetAsync("connz?state=closed")).GetProperty("total").GetInt32() == 1, "the client is closed");
        Assert.Equal("Kicked", (await site.GetAsync("connz?state=closed")).GetProperty("connections")[0].GetProperty("reason").GetString());
        Assert.Equal((HttpStatusCode.NotFound, $"client {id} is not connected"), await ActAsync(site, "close", ("cid", id)));
        Assert.Equal((HttpStatusCode.BadRequest, "cid is not the number of a client"), await ActAsync(site, "close", ("cid", "x")));
        Assert.Equal((HttpStatusCode.OK, "the configuration was read again"), await ActAsync(site, "reload"));
        Assert.Equal((HttpStatusCode.Conflict, "line 3 is wrong"), await ActAsync(site, "reload"));
        Assert.Equal((HttpStatusCode.OK, "lame duck mode has begun"), await ActAsync(site, "lameduck"));
        Assert.True(isLameDuck);
        Assert.Equal((HttpStatusCode.OK, "logged out"), await ActAsync(site, "logout"));
        Assert.Equal((HttpStatusCode.Unauthorized, "log in first"), await ActAsync(site, "reload"));
        Assert.Equal(2, reloads);
        Assert.Equal(
            [
                "Administrator ops has logged in from 127.0.0.1",
                $"Administrator ops from 127.0.0.1 has closed client {id}",
                "Administrator ops from 127.0.0.1 reloads the configuration",
                "Administrator ops from 127.0.0.1 reloads the configuration",
                "Administrator ops from 127.0.0.1 begins lame duck mode",
            ],
            log.All);
    }

    [Fact]
    public async Task An_administrator_changes_a_route_and_the_log_names_only_routes_that_exist()
    {
        var log = new LogLines();
        var changes = new List<RouteChange>();
        AdministratorOptions options = Options(log);
        options.ChangeRoute = (route, change) =>
        {
            if (route != "jobs")
            {
                throw new InvalidOperationException($"there is no route '{route}'");
            }

            changes.Add(change);
            return Task.CompletedTask;
        };
        await using Site site = await Site.StartAsync(monitoring: new MonitoringOptions { Administrator = options });
        await LogInAsync(site, "ops", Password);
        Assert.True((await site.GetAsync("admin")).GetProperty("routes").GetBoolean());
        Assert.Equal((HttpStatusCode.OK, "route jobs: paused"), await ActAsync(site, "route", ("route", "jobs"), ("change", "pause")));
        Assert.Equal((HttpStatusCode.OK, "route jobs: resumed"), await ActAsync(site, "route", ("route", "jobs"), ("change", "resume")));
        Assert.Equal(HttpStatusCode.OK, (await ActAsync(site, "route", ("route", "jobs"), ("change", "begin_shadow"))).Status);
        Assert.Equal(HttpStatusCode.OK, (await ActAsync(site, "route", ("route", "jobs"), ("change", "end_shadow"))).Status);
        Assert.Equal((HttpStatusCode.Conflict, "there is no route 'x\n'"), await ActAsync(site, "route", ("route", "x\n"), ("change", "pause")));
        Assert.Equal(HttpStatusCode.BadRequest, (await ActAsync(site, "route", ("route", "jobs"), ("change", "0"))).Status);
        Assert.Equal([RouteChange.Pause, RouteChange.Resume, RouteChange.BeginShadow, RouteChange.EndShadow], changes);
        Assert.Equal(5, log.All.Count);
        Assert.Contains("Administrator ops from 127.0.0.1 has changed route jobs: Pause", log.All);
    }

    [Theory]
    [InlineData("Origin", "http://evil.example")]
    [InlineData("Origin", "null")]
    [InlineData("Origin", null)]
    [InlineData("Sec-Fetch-Site", "cross-site")]
    [InlineData("Sec-Fetch-Site", "same-site")]
    [InlineData("token", null)]
    [InlineData("token", "wrong")]
    public async Task A_forged_request_of_a_logged_in_administrator_changes_nothing(string what, string? value)
    {
        await using Site site = await Site.StartAsync(monitoring: new MonitoringOptions { Administrator = Options() });
        int reloads = 0;
        site.Server.RereadConfiguration = () => Task.FromResult(++reloads);
        Assert.Equal(HttpStatusCode.OK, (await LogInAsync(site, "ops", Password)).Status);
        JsonElement state = await site.GetAsync("admin");
        using HttpRequestMessage request = Request(site, "reload", []);
        string header = what == "token" ? state.GetProperty("header").GetString()! : what;
        request.Headers.Add(state.GetProperty("header").GetString()!, state.GetProperty("token").GetString());
        request.Headers.Remove(header);
        if (value is not null)
        {
            request.Headers.Add(header, value);
        }

        using HttpResponseMessage answer = await site.Http.SendAsync(request, Ended);
        Assert.Equal(HttpStatusCode.Forbidden, answer.StatusCode);
        Assert.Equal(0, reloads);
        // The same request without the change succeeds.
        Assert.Equal(HttpStatusCode.OK, (await ActAsync(site, "reload")).Status);
    }

    [Fact]
    public async Task The_token_of_another_session_is_refused()
    {
        await using Site site = await Site.StartAsync(monitoring: new MonitoringOptions { Administrator = Options() });
        string before = (await site.GetAsync("admin")).GetProperty("token").GetString()!;
        await LogInAsync(site, "ops", Password);
        string header = (await site.GetAsync("admin")).GetProperty("header").GetString()!;
        using HttpRequestMessage request = Request(site, "logout", []);
        request.Headers.Add(header, before);
        using HttpResponseMessage answer = await site.Http.SendAsync(request, Ended);
        Assert.Equal(HttpStatusCode.Forbidden, answer.StatusCode);
    }

    [Theory]
    [MemberData(nameof(Paths))]
    public async Task A_stranger_can_do_nothing_but_log_in(string action)
    {
        AdministratorOptions options = Options();
        options.EnterLameDuck = static () => throw new InvalidOperationException();
        options.ChangeRoute = static (_, _) => throw new InvalidOperationException();
        await using Site site = await Site.StartAsync(monitoring: new MonitoringOptions { Administrator = options });
        site.Server.RereadConfiguration = static () => throw new InvalidOperationException();
        Assert.Equal(HttpStatusCode.Unauthorized, (await ActAsync(site, action, ("cid", "1"), ("name", "ops"), ("secret", "wrong"))).Status);
    }

    [Fact]
    public async Task Guessing_is_limited_also_for_the_right_password()
    {
        var log = new LogLines();
        await using Site site = await Site.StartAsync(monitoring: new MonitoringOptions { Administrator = Options(log) });
        for (int i = 0; i < LoginLimiter.PerMinute; i++)
        {
            Assert.Equal((HttpStatusCode.Unauthorized, "the name or the password is wrong"), await LogInAsync(site, i == 0 ? "other" : "ops", i == 0 ? Password : "guess"));
        }

        Assert.Equal(HttpStatusCode.TooManyRequests, (await LogInAsync(site, "ops", Password)).Status);
        Assert.Equal(LoginLimiter.PerMinute, log.All.Count);
        Assert.DoesNotContain(log.All, static line => line.Contains("guess", StringComparison.Ordinal));
    }

    [Fact]
    public async Task A_token_needs_no_name()
    {
        const string Token = "0123456789abcdef";
        await using Site site = await Site.StartAsync(monitoring: new MonitoringOptions { Administrator = new AdministratorOptions { Token = Token } });
        Assert.False((await site.GetAsync("admin")).GetProperty("needs_name").GetBoolean());
        Assert.Equal(HttpStatusCode.Unauthorized, (await LogInAsync(site, "", Token[1..])).Status);
        Assert.Equal((HttpStatusCode.OK, "logged in as token"), await LogInAsync(site, "", Token));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task The_cookies_are_hidden_from_scripts_and_other_sites_and_with_TLS_from_plain_connections(bool tls)
    {
        var options = new MonitoringOptions { Administrator = Options(), Certificate = tls ? TestCertificates.Common.Server : null };
        await using Site site = await Site.StartAsync(monitoring: options);
        using var handler = new HttpClientHandler { ServerCertificateCustomValidationCallback = static (_, _, _, _) => true };
        using var http = new HttpClient(handler) { BaseAddress = site.Http.BaseAddress, Timeout = Wait.Limit };
        using HttpResponseMessage state = await http.GetAsync("admin", Ended);
        using var json = JsonDocument.Parse(await state.Content.ReadAsStringAsync(Ended));
        using HttpRequestMessage request = Request(site, "login", [("name", "ops"), ("secret", Password)]);
        request.Headers.Add(json.RootElement.GetProperty("header").GetString()!, json.RootElement.GetProperty("token").GetString());
        using HttpResponseMessage login = await http.SendAsync(request, Ended);
        Assert.Equal(HttpStatusCode.OK, login.StatusCode);
        string[] cookies = [.. state.Headers.GetValues("Set-Cookie"), .. login.Headers.GetValues("Set-Cookie")];
        Assert.Equal(2, cookies.Length);
        Assert.All(cookies, cookie =>
        {
            string[] attributes = cookie.ToLowerInvariant().Split("; ");
            Assert.Contains("httponly", attributes);
            Assert.Contains("samesite=strict", attributes);
            Assert.Equal(tls, attributes.Contains("secure"));
        });
    }

    [Fact]
    public async Task A_large_action_is_refused()
    {
        await using Site site = await Site.StartAsync(monitoring: new MonitoringOptions { Administrator = Options() });
        Assert.Equal(HttpStatusCode.RequestEntityTooLarge, (await LogInAsync(site, "ops", new string('x', 10_000))).Status);
    }

    [Fact]
    public void The_host_has_no_service_that_would_write_keys_to_the_disk()
    {
        var services = new ServiceCollection();
        AdministratorServices.AddToHost(services);
        Assert.DoesNotContain(services, static service => service.ServiceType == typeof(IHostedService));
    }

    [Fact]
    public async Task Credentials_that_are_missing_or_wrong_are_refused_at_the_start()
    {
        (AdministratorOptions Options, string Word)[] mistakes =
        [
            (new AdministratorOptions(), "Name"),
            (new AdministratorOptions { Name = "ops" }, "PasswordHash"),
            (new AdministratorOptions { Token = "short" }, "16"),
            (new AdministratorOptions { Name = "ops", Token = "0123456789abcdef" }, "not both"),
            (new AdministratorOptions { Name = "ops", PasswordHash = "x" }, "PasswordVerifier"),
            (new AdministratorOptions { Name = "ops", PasswordHash = "plain", PasswordVerifier = new Digests() }, "not a valid bcrypt hash"),
        ];
        foreach ((AdministratorOptions options, string word) in mistakes)
        {
            ArgumentException refused = await Assert.ThrowsAsync<ArgumentException>(
                () => Site.StartAsync(monitoring: new MonitoringOptions { Administrator = options }));
            Assert.Contains(word, refused.Message, StringComparison.Ordinal);
        }
    }

    [Fact]
    public async Task In_the_browser_an_administrator_logs_in_and_closes_a_client_by_keyboard()
    {
        await using Site site = await Site.StartAsync(monitoring: new MonitoringOptions { Administrator = Options() });
        using LineClient client = site.Connect();
        string id = (await site.GetAsync("connz")).GetProperty("connections")[0].GetProperty("cid").ToString();
        await using var browser = Chromium.Open("about:blank");
        await using DevTools page = await DevTools.OpenAsync(browser, $"{site.Http.BaseAddress}#client={id}");
        await page.UntilAsync("!document.getElementById('admin').hidden && document.getElementById('actions').hidden");
        await page.ReadAsync("document.getElementById('loginname').focus()");
        await page.TypeAsync("ops");
        await page.PressAsync("Tab");
        await page.TypeAsync(Password);
        await page.PressAsync("Enter", "\r");
        await page.UntilAsync("document.getElementById('adminname').textContent === 'Logged in as ops.'");
        Assert.Equal("", await page.ReadAsync("document.getElementById('loginsecret').value"));
        await page.ReadAsync("document.getElementById('closeone').focus()");
        await page.PressAsync("Enter", "\r");
        Assert.Equal("Really? Close this connection", await page.ReadAsync("document.getElementById('closeone').textContent"));
        Assert.Equal(1, (await site.GetAsync("connz")).GetProperty("total").GetInt32());
        await page.PressAsync("Enter", "\r");
        await page.UntilAsync("document.getElementById('onestate').textContent === 'closed: Kicked'");
        Assert.Equal($"client {id} was closed", await page.ReadAsync("document.getElementById('adminsays').textContent"));
        Assert.Empty(page.Errors);
    }

    private static AdministratorOptions Options(LogLines? log = null)
    {
        var options = new AdministratorOptions { Name = "ops", PasswordHash = Digests.Of(Password), PasswordVerifier = new Digests() };
        options.Logger = log ?? options.Logger;
        return options;
    }

    private static HttpRequestMessage Request(Site site, string action, IEnumerable<(string Name, string Value)> form)
    {
        var request = new HttpRequestMessage(HttpMethod.Post, $"admin/{action}")
        {
            Content = new FormUrlEncodedContent(form.Select(static f => KeyValuePair.Create(f.Name, f.Value))),
        };
        request.Headers.Add("Origin", site.Http.BaseAddress!.GetLeftPart(UriPartial.Authority));
        return request;
    }

    private static Task<(HttpStatusCode Status, string Text)> LogInAsync(Site site, string name, string secret)
        => ActAsync(site, "login", ("name", name), ("secret", secret));

    private static async Task<(HttpStatusCode Status, string Text)> ActAsync(Site site, string action, params (string Name, string Value)[] form)
    {
        JsonElement state = await site.GetAsync("admin");
        using HttpRequestMessage request = Request(site, action, form);
        request.Headers.Add(state.GetProperty("header").GetString()!, state.GetProperty("token").GetString());
        using HttpResponseMessage answer = await site.Http.SendAsync(request, Ended);
        return (answer.StatusCode, await answer.Content.ReadAsStringAsync(Ended));
    }

    /// <summary>A verifier that is fast, in place of bcrypt.</summary>
    private sealed class Digests : IPasswordVerifier
    {
        internal static string Of(string password) => "$" + Convert.ToHexString(SHA256.HashData(Encoding.UTF8.GetBytes(password)));

        public bool IsValid(string hash) => hash.StartsWith('$');

        public bool Verify(ReadOnlySpan<byte> password, string hash) => Of(Encoding.UTF8.GetString(password)) == hash;
    }
}
