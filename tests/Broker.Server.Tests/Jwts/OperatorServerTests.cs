using Broker.Server.Tests.Harness;
using Broker.Testing;
using Broker.Transport;

namespace Broker.Server.Tests.Jwts;

public sealed class OperatorServerTests
{
    private const string Violation = "-ERR 'Authorization Violation'\r\n";

    private readonly JwtSite _site = new();
    private readonly JwtKey _user = JwtKey.ForUser();

    [Fact]
    public async Task A_user_connects_by_its_JWT_and_its_signature_and_has_its_permissions()
    {
        await using BrokerServer server = await StartAsync();
        using RawClient client = Connect(server, _site.UserJwt(_user, $"{JwtSite.NoUserLimits},\"pub\":{{\"allow\":[\"a.>\"]}},\"sub\":{{\"deny\":[\"b\"]}},"));

        client.Send("SUB a.* 1\r\nSUB b 2\r\nPUB b 1\r\nx\r\nPUB a.b 1\r\nx\r\n");

        Assert.Equal("-ERR 'Permissions Violation for Subscription to \"b\"'\r\n-ERR 'Permissions Violation for Publish to \"b\"'\r\nMSG a.b 1 1\r\nx\r\n", client.Sync());
    }

    public static TheoryData<string> Refused => [.. Refusals.Keys];

    // The CONNECT of each case, for the nonce of the server.
    private static Dictionary<string, Func<JwtSite, JwtKey, string, string>> Refusals { get; } = new(StringComparer.Ordinal)
    {
        ["no JWT"] = static (_, _, _) => "CONNECT {\"verbose\":false}\r\n",
        ["a user of a configuration"] = static (_, _, _) => "CONNECT {\"user\":\"a\",\"pass\":\"b\"}\r\n",
        ["no signature"] = static (site, user, _) => $$"""CONNECT {"jwt":"{{site.UserJwt(user)}}"}""" + "\r\n",
        ["a signature of another nonce"] = static (site, user, _) => JwtSite.Connect(site.UserJwt(user), user, "other"),
        ["an account that is not known"] = static (site, user, nonce) => JwtSite.Connect(site.UserJwt(user, signer: JwtKey.ForAccount()), user, nonce),
        ["the key of another user"] = static (site, user, nonce) => JwtSite.Connect(site.UserJwt(user), JwtKey.ForUser(), nonce),
        ["a JWT that has expired"] = static (site, user, nonce) => JwtSite.Connect(site.UserJwt(user, more: "\"exp\":1700000001,"), user, nonce),
        ["a JWT that is not valid yet"] = static (site, user, nonce) => JwtSite.Connect(site.UserJwt(user, more: "\"nbf\":4000000000,"), user, nonce),
        ["an address of another network"] = static (site, user, nonce) => JwtSite.Connect(site.UserJwt(user, "\"src\":[\"192.0.2.0/24\"],"), user, nonce),
        ["another transport"] = static (site, user, nonce) => JwtSite.Connect(site.UserJwt(user, "\"allowed_connection_types\":[\"WEBSOCKET\"],"), user, nonce),
        ["a wrong claim"] = static (site, user, nonce) => JwtSite.Connect(site.UserJwt(user, "\"pub\":1,"), user, nonce),
        ["a wrong subject"] = static (site, user, nonce) => JwtSite.Connect(site.UserJwt(user, "\"pub\":{\"allow\":[\"a..b\"]},"), user, nonce),
    };

    [Theory]
    [MemberData(nameof(Refused))]
    public async Task A_client_is_refused_with(string what)
    {
        await using BrokerServer server = await StartAsync();
        using var client = new RawClient(server.EndPoints[0]);
        client.Send(Refusals[what](_site, _user, Nonce(client)));

        Assert.Equal(Violation, client.ReadToEnd());
    }

    [Fact]
    public async Task A_refusal_is_logged_with_its_reason_and_without_the_JWT()
    {
        var log = new LogCapture();
        await using BrokerServer server = await StartAsync(o => o.Logger = log);
        string jwt = _site.UserJwt(_user, more: "\"exp\":1700000001,");
        using RawClient client = Connect(server, jwt);
        client.ReadToEnd();

        await Servers.UntilAsync(() => log.All.Any(line => line.Contains($"the JWT of user {_user} is refused: it has expired", StringComparison.Ordinal)), "the log has the reason");
        Assert.DoesNotContain(log.All, line => line.Contains(jwt, StringComparison.Ordinal));
    }

    [Fact]
    public async Task A_bearer_needs_no_signature_unless_its_account_wants_one()
    {
        var strict = JwtKey.ForAccount();
        await using BrokerServer server = await StartAsync(more: [_site.AccountJwt(strict, JwtSite.NoLimits.Replace("\"subs\":-1", "\"subs\":-1,\"disallow_bearer\":true", StringComparison.Ordinal) + ",")]);
        const string Bearer = JwtSite.NoUserLimits + ",\"bearer_token\":true,";
        using var good = RawClient.Open(server, $$"""CONNECT {"verbose":false,"jwt":"{{_site.UserJwt(_user, Bearer)}}"}""" + "\r\n");
        Assert.Equal("", good.Sync());
        using var bad = RawClient.Open(server, $$"""CONNECT {"verbose":false,"jwt":"{{_site.UserJwt(_user, Bearer, signer: strict)}}"}""" + "\r\n");
        Assert.Equal(Violation, bad.ReadToEnd());
    }

    [Fact]
    public async Task The_limits_of_a_user_apply_beside_those_of_its_account()
    {
        await using BrokerServer server = await StartAsync();
        using RawClient client = Connect(server, _site.UserJwt(_user, "\"subs\":1,\"data\":-1,\"payload\":3,"));
        Assert.Contains("\"max_payload\":3", client.ReadLine(), StringComparison.Ordinal);

        client.Send("SUB a 1\r\nSUB b 2\r\n");
        Assert.Equal("-ERR 'maximum subscriptions exceeded'\r\n", client.Sync());
        client.Send("PUB a 4\r\n1234\r\n");
        Assert.Equal("-ERR 'Maximum Payload Violation'\r\n", client.ReadToEnd());
    }

    [Fact]
    public async Task A_scoped_key_gives_each_user_its_own_subjects()
    {
        var account = JwtKey.ForAccount();
        var scope = JwtKey.ForAccount();
        const string Template = "{\"subs\":-1,\"payload\":-1,\"pub\":{\"allow\":[\"{{name()}}.>\",\"in.{{tag(team)}}\"]},\"sub\":{\"deny\":[\"{{account-subject()}}\"]}}";
        string template = $"{{\"kind\":\"user_scope\",\"key\":\"{scope}\",\"template\":{Template}}}";
        await using BrokerServer server = await StartAsync(more: [_site.AccountJwt(account, $"{JwtSite.NoLimits},\"signing_keys\":[{template}],")]);
        string of = $"\"issuer_account\":\"{account}\",";
        using RawClient client = Connect(server, _site.UserJwt(_user, $"{of}\"tags\":[\"team:red\",\"team:blue\",\"other:x\"],", signer: scope));

        client.Send($"PUB n.x 1\r\nx\r\nPUB in.red 1\r\nx\r\nPUB in.blue 1\r\nx\r\nPUB in.x 1\r\nx\r\nSUB {account} 1\r\n");
        Assert.Equal($"-ERR 'Permissions Violation for Publish to \"in.x\"'\r\n-ERR 'Permissions Violation for Subscription to \"{account}\"'\r\n", client.Sync());
        using RawClient own = Connect(server, _site.UserJwt(_user, $"{of}\"subs\":1,", signer: scope));
        Assert.Equal(Violation, own.ReadToEnd());
        using RawClient wide = Connect(server, _site.UserJwt(_user, $"{of}\"tags\":[\"team:>\"],", signer: scope));
        wide.Send("PUB in.red 1\r\nx\r\n");
        Assert.Equal("-ERR 'Permissions Violation for Publish to \"in.red\"'\r\n", wide.Sync());
    }

    [Fact]
    public async Task A_stream_and_a_service_pass_between_accounts_only_with_their_activation()
    {
        var importer = JwtKey.ForAccount();
        var stranger = JwtKey.ForAccount();
        var exporter = JwtKey.ForAccount();
        string exports = $"{JwtSite.NoLimits},\"exports\":[{{\"subject\":\"s.>\",\"type\":\"stream\",\"token_req\":true}},{{\"subject\":\"q\",\"type\":\"service\"}}],";
        string activation = exporter.Sign(importer.Public, "\"subject\":\"s.>\",\"kind\":\"stream\",\"type\":\"activation\",\"version\":2");
        string Imports(string token) => $"{JwtSite.NoLimits},\"imports\":[{{\"subject\":\"s.>\",\"type\":\"stream\",\"account\":\"{exporter}\",\"to\":\"p\",\"token\":\"{token}\"}},{{\"subject\":\"my.q\",\"to\":\"q\",\"type\":\"service\",\"account\":\"{exporter}\"}}],";
        var log = new LogCapture();
        await using BrokerServer server = await StartAsync(
            o => o.Logger = log,
            [_site.AccountJwt(exporter, exports), _site.AccountJwt(importer, Imports(activation)), _site.AccountJwt(stranger, Imports(activation))]);
        using RawClient from = Connect(server, _site.UserJwt(_user, signer: exporter));
        using RawClient to = Connect(server, _site.UserJwt(_user, signer: importer));
        using RawClient not = Connect(server, _site.UserJwt(_user, signer: stranger));
        to.Send("SUB p.s.> 1\r\n");
        not.Send("SUB p.s.> 1\r\n");
        from.Send("SUB q 1\r\n");
        _ = (to.Sync(), not.Sync(), from.Sync());

        from.Send("PUB s.a 1\r\nx\r\n");
        from.Sync();
        Assert.Equal("MSG p.s.a 1 1\r\nx\r\n", to.Sync(1));
        Assert.Equal("", not.Sync());
        not.Send("PUB my.q 1\r\ny\r\n");
        not.Sync();
        Assert.EndsWith("1\r\ny\r\n", from.Sync(1), StringComparison.Ordinal);
        Assert.Contains(log.All, line => line.Contains($"Account {stranger} imports 's.>' of {exporter} without effect: its activation is for another account", StringComparison.Ordinal));
    }

    [Fact]
    public async Task The_connection_is_closed_at_the_second_when_the_user_or_its_account_expires()
    {
        var time = new VirtualTime();
        long now = time.GetUtcNow().ToUnixTimeSeconds();
        var shortly = JwtKey.ForAccount();
        await using BrokerServer server = await StartAsync(
            o => o.LoopOptions = new EventLoopOptions { TimeProvider = time },
            [_site.AccountJwt(shortly, more: $"\"exp\":{now + 20},")]);
        using RawClient user = Connect(server, _site.UserJwt(_user, more: $"\"exp\":{now + 10},"));
        using RawClient account = Connect(server, _site.UserJwt(_user, signer: shortly));
        using RawClient forever = Connect(server, _site.UserJwt(_user));
        Assert.Equal(("", "", ""), (user.Sync(), account.Sync(), forever.Sync()));

        time.Advance(TimeSpan.FromSeconds(9));
        Assert.Equal("", user.Sync());
        time.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal("-ERR 'User Authentication Expired'\r\n", Rest(user));
        Assert.Equal("", account.Sync());
        time.Advance(TimeSpan.FromSeconds(10));
        Assert.Equal("-ERR 'Account Authentication Expired'\r\n", Rest(account));
        Assert.Equal("", forever.Sync());
        using RawClient late = Connect(server, _site.UserJwt(_user, signer: shortly));
        Assert.Equal(Violation, Rest(late));
    }

    [Fact]
    public async Task A_reload_closes_revoked_users_and_those_of_removed_accounts_only()
    {
        var other = JwtKey.ForAccount();
        var stays = JwtKey.ForUser();
        await using BrokerServer server = await StartAsync(more: [_site.AccountJwt(other)]);
        using RawClient revoked = Connect(server, _site.UserJwt(_user));
        using RawClient kept = RawConnect(server, _site.UserJwt(stays), stays);
        using RawClient removed = Connect(server, _site.UserJwt(_user, signer: other));
        Assert.Equal(("", "", ""), (revoked.Sync(), kept.Sync(), removed.Sync()));

        await server.ReloadAsync(o => o.Operator = new OperatorOptions
        {
            Operators = [_site.OperatorJwt()],
            Accounts = JwtSite.ByAccount(_site.AccountJwt(_site.Account, $"{JwtSite.NoLimits},\"revocations\":{{\"{_user}\":1700000000}},")),
        });

        Assert.Equal("-ERR 'User Authentication Revoked'\r\n", revoked.ReadToEnd());
        Assert.Equal("-ERR 'Account Authentication Expired'\r\n", removed.ReadToEnd());
        Assert.Equal("", kept.Sync());
    }

    [Fact]
    public async Task A_reload_closes_users_who_have_no_valid_permissions_by_the_new_template_of_their_key()
    {
        var scope = JwtKey.ForAccount();
        await using BrokerServer server = await StartAsync(more: []);
        await server.ReloadAsync(o => o.Operator = Scoped("name()"));
        string jwt = _site.UserJwt(_user, $"\"issuer_account\":\"{_site.Account}\",", signer: scope);
        using RawClient scoped = Connect(server, jwt);
        var stays = JwtKey.ForUser();
        using RawClient kept = RawConnect(server, _site.UserJwt(stays), stays);
        Assert.Equal(("", ""), (scoped.Sync(), kept.Sync()));

        await server.ReloadAsync(o => o.Operator = Scoped("tag(team)"));

        Assert.Equal(Violation, scoped.ReadToEnd());
        Assert.Equal("", kept.Sync());

        OperatorOptions Scoped(string function)
        {
            string template = $"{{\"subs\":-1,\"payload\":-1,\"sub\":{{\"deny\":[\"{{{{{function}}}}}\"]}}}}";
            string key = $"{{\"kind\":\"user_scope\",\"key\":\"{scope}\",\"template\":{template}}}";
            return new OperatorOptions
            {
                Operators = [_site.OperatorJwt()],
                Accounts = JwtSite.ByAccount(_site.AccountJwt(_site.Account, $"{JwtSite.NoLimits},\"signing_keys\":[{key}],")),
            };
        }
    }

    [Fact]
    public async Task An_account_without_limits_in_its_JWT_accepts_nobody()
    {
        var none = JwtKey.ForAccount();
        await using BrokerServer server = await StartAsync(more: [_site.AccountJwt(none, "\"limits\":{},")]);
        using RawClient client = Connect(server, _site.UserJwt(_user, signer: none));

        Assert.Equal("-ERR 'maximum account active connections exceeded'\r\n", client.ReadToEnd());
    }

    public static TheoryData<string, string> WrongOptions => new()
    {
        { "users", "Operator and Users cannot be combined: JWTs identify all accounts and users." },
        { "token", "Operator and Token cannot be combined: JWTs identify all accounts and users." },
        { "accounts", "Operator and Accounts cannot be combined: JWTs identify all accounts and users." },
        { "stranger", "The JWT of account KEY is refused: \"iss\" is not a key of an operator of this server." },
        { "other", "The JWT of account KEY is refused: \"sub\" is ACC." },
        { "word", "The JWT of account \"a\\nb\" is refused: \"sub\" is KEY." },
        { "claim", "The JWT of account KEY is refused: \"nats.limits.conn\" must be a whole number." },
        { "text", "The JWT of account KEY is refused: it does not consist of three parts in base64url." },
        { "version", "Operator OPR asserts that the server has at least version 99.0.0 of nats-server, but this server corresponds to 2.9.10." },
        { "none", "There is no operator whose key may sign accounts." },
        { "keys", "Operators and trusted keys cannot be combined." },
        { "system", "The system account is to be 'KEY', but there is no such account." },
        { "verifier", "A server with operators needs a verifier of signatures, for example of the package Broker.Cryptography." },
    };

    [Theory]
    [MemberData(nameof(WrongOptions))]
    public void Options_that_contradict_each_other_are_named(string what, string why)
    {
        var key = JwtKey.ForAccount();
        string good = _site.AccountJwt(key);
        var options = new BrokerServerOptions
        {
            SignatureVerifier = what is "verifier" ? null : TestSignatures.One,
            Users = what is "users" ? [new User("a", "b")] : [],
            Accounts = what is "accounts" ? [new AccountOptions("A")] : [],
            Token = what is "token" ? "x" : null,
            SystemAccount = what is "system" ? key.Public : null,
            Operator = new OperatorOptions
            {
                Operators = what is "none" ? [] : [_site.OperatorJwt(what is "version" ? "\"assert_server_version\":\"99.0.0\"," : "")],
                TrustedKeys = what is "keys" ? [_site.Operator.Public] : [],
                Accounts = what switch
                {
                    "stranger" => JwtSite.ByAccount(new JwtSite().AccountJwt(key)),
                    "other" => One(key.Public, _site.AccountJwt(_site.Account)),
                    "word" => One("a\nb", good),
                    "claim" => JwtSite.ByAccount(_site.AccountJwt(key, "\"limits\":{\"conn\":\"1\"},")),
                    "text" => One(key.Public, "x"),
                    _ => JwtSite.ByAccount(),
                },
            },
        };

        string expected = why.Replace("KEY", key.Public, StringComparison.Ordinal).Replace("ACC", _site.Account.Public, StringComparison.Ordinal).Replace("OPR", _site.Operator.Public, StringComparison.Ordinal);
        Assert.Equal(expected, Assert.Throws<ArgumentException>(options.Validate).Message);
    }

    private static Dictionary<string, string> One(string key, string jwt) => new(StringComparer.Ordinal) { [key] = jwt };

    private static string Nonce(RawClient client)
    {
        using var json = System.Text.Json.JsonDocument.Parse(client.ReadLine()["INFO ".Length..]);
        return json.RootElement.GetProperty("nonce").GetString()!;
    }

    private static RawClient RawConnect(BrokerServer server, string jwt, JwtKey key)
    {
        var client = new RawClient(server.EndPoints[0]);
        client.Send(JwtSite.Connect(jwt, key, Nonce(client)));
        return client;
    }

    // The server sends a PING when the clock of the test advances.
    private static string Rest(RawClient client) => client.ReadToEnd().Replace("PING\r\n", "", StringComparison.Ordinal);

    private RawClient Connect(BrokerServer server, string jwt) => RawConnect(server, jwt, _user);

    private Task<BrokerServer> StartAsync(Action<BrokerServerOptions>? configure = null, IReadOnlyList<string>? more = null)
        => Servers.StartAsync(o =>
        {
            o.SignatureVerifier = TestSignatures.One;
            o.AuthTimeout = Wait.Limit;
            o.Operator = new OperatorOptions { Operators = [_site.OperatorJwt()], Accounts = JwtSite.ByAccount([_site.AccountJwt(_site.Account), .. more ?? []]) };
            configure?.Invoke(o);
        });
}
