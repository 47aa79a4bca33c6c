using System.Collections.Concurrent;
using System.Text;
using System.Text.Json.Nodes;
using System.Text.RegularExpressions;
using Broker.Cli.Tests.Starting;
using Broker.Client;
using Broker.Cryptography;

namespace Broker.Cli.Tests.Callouts;

/// <summary>
/// Tests that a service decides who may connect. The same service answers this server and nats-server 2.15, which must
/// come to the same results.
/// </summary>
public sealed partial class CalloutTests : IDisposable
{
    private const string Connected = "connected: ";

    // Each name says how the service answers.
    private static readonly string[] Refused =
    [
        "nobody", "both", "neither", "empty", "garbage", "replay", "stranger", "other", "other-answer", "server", "noaccount",
        "noaud", "expired", "early", "switched",
    ];

    private readonly TemporaryFolder _folder = new();
    private readonly NkeyPair _issuer = NkeyPair.Generate(NkeyKind.Account);
    private readonly NkeyPair _curve = NkeyPair.Generate(NkeyKind.Curve);

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task The_same_service_has_the_same_effect_on_both_servers(bool isEncrypted)
    {
        string configuration = Configuration(isEncrypted);
        string[] theirs;
        using (NatsServer server = Start(configuration))
        {
            theirs = await OutcomesAsync(server.Url, isEncrypted);
        }

        string[] ours = [];
        RealRun run = await ServeAsync(configuration, async url => ours = await OutcomesAsync(url, isEncrypted));

        Assert.Equal(theirs, ours);
        Assert.Equal(3, ours.Count(static o => o.Contains(Connected, StringComparison.Ordinal)));
        // One line of the log for each refused login, and no password.
        Assert.Equal(Refused.Length + 1, Violations().Count(run.Error));
        Assert.Contains("the auth callout service says: no such user", run.Error.Replace("'", "", StringComparison.Ordinal).Replace("\"", "", StringComparison.Ordinal), StringComparison.Ordinal);
        Assert.DoesNotContain(CalloutService.Password, run.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_request_has_the_claims_of_nats_server()
    {
        using NatsServer server = Start(Configuration(true));
        string[] theirs = await ClaimsAsync(server.Url);
        string[] ours = [];
        await ServeAsync(Configuration(true), async url => ours = await ClaimsAsync(url));

        Assert.Equal(theirs, ours);
    }

    [Fact]
    public async Task A_user_in_the_file_is_checked_by_the_server_alone()
        => await ServeAsync(Configuration(false), async url =>
        {
            await using CalloutService service = await CalloutService.StartAsync(url, _issuer, null);
            await using BrokerConnection watch = await BrokerConnection.ConnectAsync(Options(url, "watch", "watch"), TestContext.Current.CancellationToken);
            string wrong = await OutcomeAsync(url, "watch", "guess");
            var received = new ConcurrentQueue<string>();
            watch.Subscribe(">", (in m) => received.Enqueue(Encoding.UTF8.GetString(m.Subject)));
            await watch.FlushAsync(TestContext.Current.CancellationToken);

            // The service puts ada into the account of this user, and bob into another one.
            Assert.Contains(Connected, await OutcomeAsync(url, "bob", "x"), StringComparison.Ordinal);
            Assert.Contains(Connected, await OutcomeAsync(url, "ada", CalloutService.Password), StringComparison.Ordinal);
            await Wait.UntilAsync(() => !received.IsEmpty, "the message of ada");
            Assert.Equal(["a.x"], received);
            Assert.Contains("Authorization Violation", wrong, StringComparison.Ordinal);
            Assert.Equal(["bob", "ada"], service.Names);
        });

    [Fact]
    public async Task A_user_whose_JWT_expires_is_told_so_by_both_servers()
    {
        using NatsServer server = Start(Configuration(false));
        await CheckExpiryAsync(server.Url);
        await ServeAsync(Configuration(false), CheckExpiryAsync);
    }

    [Fact]
    public async Task Without_an_answer_the_login_is_refused_with_one_line()
    {
        string configuration = Configuration(false, timeout: 1);
        RealRun gone = await ServeAsync(configuration, async url => Assert.Contains("Authorization Violation", await OutcomeAsync(url, "ada", "x"), StringComparison.Ordinal));
        Assert.Single(Violations().Matches(gone.Error));
        Assert.Contains("no auth callout service is connected", gone.Error, StringComparison.Ordinal);

        RealRun late = await ServeAsync(configuration, async url =>
        {
            await using CalloutService service = await CalloutService.StartAsync(url, _issuer, null);
            Assert.DoesNotContain(Connected, await OutcomeAsync(url, "late", "x"), StringComparison.Ordinal);
        });
        Assert.Single(Violations().Matches(late.Error));
    }

    // nats-server accepts them: it checks neither the signature around a good JWT, nor the networks and types of
    // connections in the JWT.
    [Theory]
    [InlineData("envelope")]
    [InlineData("away")]
    [InlineData("browser")]
    public async Task An_answer_of_a_stranger_or_for_another_network_or_transport_is_refused(string name)
        => await ServeAsync(Configuration(false), async url =>
        {
            await using CalloutService service = await CalloutService.StartAsync(url, _issuer, null);
            Assert.Contains("Authorization Violation", await OutcomeAsync(url, name, "x"), StringComparison.Ordinal);
        });

    [Fact]
    public async Task The_service_chooses_only_among_the_allowed_accounts()
        => await ServeAsync(Configuration(false, more: "allowed_accounts: [OTHER]"), async url =>
        {
            await using CalloutService service = await CalloutService.StartAsync(url, _issuer, null);
            Assert.Contains(Connected, await OutcomeAsync(url, "bob", "x"), StringComparison.Ordinal);
            Assert.Contains("Authorization Violation", await OutcomeAsync(url, "ada", CalloutService.Password), StringComparison.Ordinal);
        });

    [Theory]
    [InlineData("issuer: X, auth_users: [service]", "56 characters that begin with 'A'")]
    [InlineData("issuer: ISSUER", "auth_users")]
    [InlineData("auth_users: [service]", "issuer")]
    [InlineData("issuer: ISSUER, auth_users: [nobody]", "'nobody'")]
    [InlineData("issuer: ISSUER, auth_users: [watch]", "'watch'")]
    [InlineData("issuer: ISSUER, auth_users: [service], account: NONE", "'NONE'")]
    [InlineData("issuer: ISSUER, auth_users: [service], allowed_accounts: [NONE]", "'NONE'")]
    [InlineData("issuer: ISSUER, auth_users: [service], xkey: ISSUER", "begin with 'X'")]
    [InlineData("issuer: ISSUER, auth_users: [service], issuers: x", "issuers")]
    public async Task A_wrong_block_stops_the_start_with_its_reason(string keys, string why)
    {
        keys = keys.Contains("account: ", StringComparison.Ordinal) ? keys : keys + ", account: AUTH";
        string file = _folder.Write("wrong.conf", $"{Accounts}\nauthorization {{ auth_callout {{ {keys.Replace("ISSUER", _issuer.PublicKey, StringComparison.Ordinal)} }} }}\n");

        RealRun run = await RealRun.Of("serve", "-t", "-c", file);

        Assert.Equal(ExitCode.Failure, run.ExitCode);
        Assert.Contains(why, run.Error, StringComparison.Ordinal);
    }

    private const string Accounts = """
        accounts {
          AUTH { users: [ { user: service, password: service } ] }
          APP { users: [ { user: watch, password: watch } ] }
          OTHER { }
        }
        """;

    private static NatsServer Start(string configuration)
        => NatsServer.StartWithConfiguration(configuration, NewerNatsServers.Require(NewerNatsServers.Sid), []);

    private static ClientOptions Options(string url, string name, string password)
        => new() { Servers = [url], User = name, Password = password, ConnectTimeout = Wait.Limit, MaxReconnectAttempts = 0 };

    // The outcome of one login: refused with an error, or connected with the errors of two publishes.
    private static async Task<string> OutcomeAsync(string url, string name, string password)
    {
        var errors = new ConcurrentQueue<string>();
        ClientOptions options = Options(url, name, password) with { OnServerError = (_, text) => errors.Enqueue(text) };
        options = name.StartsWith("token", StringComparison.Ordinal) ? options with { User = null, Password = null, Token = name } : options;
        try
        {
            await using BrokerConnection connection = await BrokerConnection.ConnectAsync(options, TestContext.Current.CancellationToken);
            connection.Publish("a.x", "1"u8);
            connection.Publish("a.secret", "1"u8);
            connection.Publish("b.x", "1"u8);
            await connection.FlushAsync(TestContext.Current.CancellationToken);
            return $"{name}: {Connected}{string.Join(", ", errors)}";
        }
        catch (Exception e) when (e is ClientException or IOException or TimeoutException)
        {
            return $"{name}: {e.Message}";
        }
    }

    private async Task<string[]> OutcomesAsync(string url, bool isEncrypted)
    {
        await using CalloutService service = await CalloutService.StartAsync(url, _issuer, isEncrypted ? _curve : null);
        var outcomes = new List<string> { await OutcomeAsync(url, "ada", CalloutService.Password), await OutcomeAsync(url, "ada", "wrong") };
        foreach (string name in (string[])["token-of-ada", "all", .. Refused])
        {
            outcomes.Add(await OutcomeAsync(url, name, "x"));
        }

        return [.. outcomes];
    }

    private async Task<string[]> ClaimsAsync(string url)
    {
        await using CalloutService service = await CalloutService.StartAsync(url, _issuer, _curve);
        await OutcomeAsync(url, "ada", CalloutService.Password);
        JsonObject request = Assert.Single(service.Requests);
        Assert.Equal(request["nats"]!["server_id"]!["id"]!.ToString(), request["iss"]!.ToString());
        return [.. Paths(request, "").Order(StringComparer.Ordinal)];
    }

    private async Task CheckExpiryAsync(string url)
    {
        await using CalloutService service = await CalloutService.StartAsync(url, _issuer, null);
        var said = new ConcurrentQueue<string>();
        ClientOptions options = Options(url, "short", "x") with { OnServerError = (_, text) => said.Enqueue(text), OnDisconnected = (_, reason) => said.Enqueue(reason.Message) };
        await using BrokerConnection connection = await BrokerConnection.ConnectAsync(options, TestContext.Current.CancellationToken);
        await Wait.UntilAsync(() => said.Any(static text => text.Contains("User Authentication Expired", StringComparison.Ordinal)), () => string.Join(", ", said));
    }

    private static IEnumerable<string> Paths(JsonNode? node, string path)
        => node is JsonObject inner ? inner.SelectMany(p => Paths(p.Value, $"{path}.{p.Key}")) : [path];

    private string Configuration(bool isEncrypted, int timeout = 60, string more = "")
        => $$"""
            {{Accounts}}
            authorization {
              timeout: {{timeout}}
              auth_callout { issuer: {{_issuer.PublicKey}}, account: AUTH, auth_users: [service]{{(isEncrypted ? $", xkey: {_curve.PublicKey}" : "")}}, {{more}} }
            }

            """;

    private async Task<RealRun> ServeAsync(string configuration, Func<string, Task> work)
    {
        string file = _folder.Write("callout.conf", configuration);
        Exception? failure = null;
        RealRun run = await RealRun.Of(
            async addresses =>
            {
                try
                {
                    await work(addresses.Nats[0]);
                }
                catch (Exception e) when (e is not OutOfMemoryException)
                {
                    failure = e;
                }
            },
            "serve", "-c", file, "-p", "-1");
        Assert.True(failure is null && run.ExitCode == ExitCode.Success, $"{failure}\n{run.Said}");
        return run;
    }

    [GeneratedRegex(" not authorized: ", RegexOptions.CultureInvariant, matchTimeoutMilliseconds: 10_000)]
    private static partial Regex Violations();
}
