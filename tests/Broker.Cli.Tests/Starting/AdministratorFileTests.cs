using System.Net;
using System.Text.Json;
using Broker.Cli.Tests.CommandLine;

namespace Broker.Cli.Tests.Starting;

/// <summary>The administrator of the configuration file, and the log on the pages, in a running command.</summary>
public sealed class AdministratorFileTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    public void Dispose() => _folder.Dispose();

    [Fact]
    public async Task An_administrator_of_the_file_can_log_in_and_the_log_page_names_the_administrator_and_no_secret()
    {
        const string Token = "0123456789abcdef";
        string file = _folder.Write("broker.conf", $"port: -1\nhttp: \"127.0.0.1:-1\"\nhttp_admin {{ token: \"{Token}\" }}\n");

        RealRun run = await RealRun.Of(
            async addresses =>
            {
                using var http = new HttpClient { BaseAddress = new Uri(addresses.Monitoring.Single() + "/"), Timeout = Wait.Limit };
                Assert.Equal((HttpStatusCode.Unauthorized, "log in first"), await ActAsync(http, "reload"));
                Assert.Equal((HttpStatusCode.OK, "logged in as token"), await ActAsync(http, "login", ("secret", Token)));
                Assert.Equal((HttpStatusCode.NotFound, "client 999 is not connected"), await ActAsync(http, "close", ("cid", "999")));
                string log = await http.GetStringAsync("logz", Ended);
                Assert.Contains("Administrator token has logged in from 127.0.0.1", log, StringComparison.Ordinal);
                Assert.DoesNotContain(Token, log, StringComparison.Ordinal);
            },
            "serve", "-q", "-c", file);

        Assert.True(run.ExitCode == ExitCode.Success, run.Said);
        Assert.Contains("Administrator token has logged in from 127.0.0.1", run.Said, StringComparison.Ordinal);
        Assert.DoesNotContain(Token, run.Said, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("http_admin { user: ops, password: plain-secret }", "must be a bcrypt hash")]
    [InlineData("http_admin { token: \"short-secret\" }", "must have 16 to 256 characters")]
    [InlineData("http_admin: plain-secret", "must be a block")]
    [InlineData("http_admin: [{ token: secret-secret-secret }]", "must be a block")]
    [InlineData("http_admin: true", "must be a block")]
    [InlineData("http_admin {}", "needs a \"user\" and a \"password\", or a \"token\"")]
    [InlineData("http_admin { user: secret-ops }", "needs a \"user\" and a \"password\", or a \"token\"")]
    [InlineData("http_admin { password: \"$2a$04$secret\" }", "needs a \"user\" and a \"password\", or a \"token\"")]
    [InlineData("http_admin { user: ops, password: x, token: secret-secret-secret }", "needs a \"user\" and a \"password\", or a \"token\"")]
    [InlineData("http_admin { user: [ops], password: secret }", "\"user\" must be a text")]
    [InlineData("http_admin { token: 1234567890123456 }", "\"token\" must be a text")]
    [InlineData("http_admin { token: \"\" }", "\"token\" must be a text")]
    [InlineData("http_admin { token: secret-secret-secret, colour: secret }", "unknown key")]
    public async Task Wrong_credentials_are_refused_without_showing_them(string text, string problem)
    {
        string file = _folder.Write("broker.conf", $"port: -1\nhttp: \"127.0.0.1:-1\"\n{text}\n");
        CommandRun run = await CommandRun.Of("serve", "-t", "-c", file);
        Assert.NotEqual(ExitCode.Success, run.ExitCode);
        Assert.Contains(problem, run.Output + run.Error, StringComparison.Ordinal);
        Assert.DoesNotContain("secret", run.Output + run.Error, StringComparison.Ordinal);
    }

    private static async Task<(HttpStatusCode Status, string Text)> ActAsync(HttpClient http, string action, params (string Name, string Value)[] form)
    {
        using var state = JsonDocument.Parse(await http.GetStringAsync("admin", Ended));
        using var request = new HttpRequestMessage(HttpMethod.Post, $"admin/{action}")
        {
            Content = new FormUrlEncodedContent(form.Select(static f => KeyValuePair.Create(f.Name, f.Value))),
        };
        request.Headers.Add("Origin", http.BaseAddress!.GetLeftPart(UriPartial.Authority));
        request.Headers.Add(state.RootElement.GetProperty("header").GetString()!, state.RootElement.GetProperty("token").GetString());
        using HttpResponseMessage answer = await http.SendAsync(request, Ended);
        return (answer.StatusCode, await answer.Content.ReadAsStringAsync(Ended));
    }
}
