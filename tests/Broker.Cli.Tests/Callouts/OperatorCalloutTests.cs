using System.Collections.Concurrent;
using System.Text;
using System.Text.Json.Nodes;
using Broker.Cli.Tests.Starting;
using Broker.Client;
using Broker.Cryptography;

namespace Broker.Cli.Tests.Callouts;

/// <summary>
/// Tests that the service of an account of an operator decides about logins (the claim <c>authorization</c>). The same
/// service answers this server and nats-server 2.15, which must come to the same results.
/// </summary>
public sealed class OperatorCalloutTests : IDisposable
{
    private const string Connected = "connected: ";

    // Each name says how the service answers. The service decides about those of the account AUTH.
    private static readonly string[] Names =
    [
        "ada", "bob", "role", "own", "signed", "not", "stranger", "unknown", "nobody", "other", "server", "empty", "garbage",
        "expired", "early", "widened", "direct", "unsigned",
    ];

    private readonly TemporaryFolder _folder = new();
    private readonly NkeyPair _operator = NkeyPair.Generate(NkeyKind.Operator);
    private readonly NkeyPair _system = NkeyPair.Generate(NkeyKind.Account);
    private readonly NkeyPair _auth = NkeyPair.Generate(NkeyKind.Account);
    private readonly NkeyPair _authSigning = NkeyPair.Generate(NkeyKind.Account);
    private readonly NkeyPair _app = NkeyPair.Generate(NkeyKind.Account);
    private readonly NkeyPair _appSigning = NkeyPair.Generate(NkeyKind.Account);
    private readonly NkeyPair _appRole = NkeyPair.Generate(NkeyKind.Account);
    private readonly NkeyPair _not = NkeyPair.Generate(NkeyKind.Account);
    private readonly NkeyPair _service = NkeyPair.Generate(NkeyKind.User);
    private readonly NkeyPair _sentinel = NkeyPair.Generate(NkeyKind.User);
    private readonly NkeyPair _curve = NkeyPair.Generate(NkeyKind.Curve);
    private readonly ConcurrentQueue<JsonObject> _requests = new();

    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task The_service_of_an_account_has_the_same_effect_on_both_servers(bool isEncrypted)
    {
        string configuration = Configuration(isEncrypted);
        string[] theirs;
        using (var server = NatsServer.StartWithConfiguration(configuration, NewerNatsServers.Require(NewerNatsServers.Sid), []))
        {
            theirs = await OutcomesAsync(server.Url, isEncrypted);
        }

        Assert.True(!_requests.IsEmpty, string.Join('\n', theirs));
        string[] ours = [];
        RealRun run = await ServeAsync(configuration, async url => ours = await OutcomesAsync(url, isEncrypted));

        Assert.Equal(theirs, ours);
        Assert.Equal(6, ours.Count(static o => o.Contains(Connected, StringComparison.Ordinal)));
        Assert.Contains("no such user", run.Error, StringComparison.Ordinal);
        Assert.DoesNotContain("password-of-", run.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Without_its_service_no_user_of_the_account_may_connect_but_those_of_other_accounts_may()
    {
        RealRun run = await ServeAsync(Configuration(false), async url =>
        {
            Assert.Contains("Authorization Violation", await OutcomeAsync(url, "ada"), StringComparison.Ordinal);
            Assert.Contains(Connected, await OutcomeAsync(url, "direct"), StringComparison.Ordinal);
        });

        Assert.Contains("no auth callout service is connected", run.Error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("\"auth_users\":[\"x\"]", "\"nats.authorization.auth_users\" contains a text that is not the key of a user")]
    [InlineData("\"allowed_accounts\":[\"*\"]", "\"nats.authorization.auth_users\" is missing")]
    [InlineData("\"auth_users\":[\"SERVICE\"],\"allowed_accounts\":[\"x\"]", "\"nats.authorization.allowed_accounts\" must be")]
    [InlineData("\"auth_users\":[\"SERVICE\"],\"xkey\":\"x\"", "\"nats.authorization.xkey\" is not a public curve key")]
    public async Task A_wrong_claim_stops_the_start_with_its_name(string claim, string why)
    {
        string file = _folder.Write("wrong.conf", Configuration(false, JsonNode.Parse($"{{{claim.Replace("SERVICE", _service.PublicKey, StringComparison.Ordinal)}}}")!.AsObject()));

        RealRun run = await RealRun.Of("serve", "-t", "-c", file);

        Assert.Equal(ExitCode.Failure, run.ExitCode);
        Assert.Contains(why, run.Error, StringComparison.Ordinal);
    }

    private async Task<string[]> OutcomesAsync(string url, bool isEncrypted)
    {
        await using BrokerConnection service = await BrokerConnection.ConnectAsync(Options(url, UserJwt(_service, _auth), _service), Ended);
        service.Subscribe("$SYS.REQ.USER.AUTH", (in m) => Answer(m.ToMessage(), isEncrypted));
        await service.FlushAsync(Ended);
        var outcomes = new List<string>();
        foreach (string name in Names)
        {
            outcomes.Add(await OutcomeAsync(url, name));
        }

        return [.. outcomes];
    }

    // The outcome of one login: refused with an error, or connected with the errors of two publishes.
    private async Task<string> OutcomeAsync(string url, string name)
    {
        var errors = new ConcurrentQueue<string>();
        var user = NkeyPair.Generate(NkeyKind.User);
        ClientOptions options = name switch
        {
            // A user of an account without a service.
            "direct" => Options(url, UserJwt(user, _app, UserClaims("a.>")), user),
            // A user whose key another one has used.
            "unsigned" => Options(url, UserJwt(user, _auth), _sentinel),
            _ => Options(url, UserJwt(_sentinel, _auth, Sentinel()), null, name),
        };
        try
        {
            await using BrokerConnection connection = await BrokerConnection.ConnectAsync(options with { OnServerError = (_, text) => errors.Enqueue(text) }, Ended);
            connection.Publish("a.x", "1"u8);
            connection.Publish("b.x", "1"u8);
            await connection.FlushAsync(Ended);
            return $"{name}: {Connected}{string.Join(", ", errors)}";
        }
        catch (Exception e) when (e is ClientException or IOException or TimeoutException)
        {
            return $"{name}: {e.Message}";
        }
    }

    private static ClientOptions Options(string url, string jwt, NkeyPair? signer, string? name = null) => new()
    {
        Servers = [url],
        ConnectTimeout = Wait.Limit,
        MaxReconnectAttempts = 0,
        GetCredentials = _ => ValueTask.FromResult(new ConnectCredentials
        {
            Jwt = jwt,
            Sign = signer is null ? static _ => [] : nonce => signer.Sign(nonce.Span),
            User = name,
            Password = name is null ? null : "password-of-" + name,
        }),
    };

    private void Answer(Message message, bool isEncrypted)
    {
        ReadOnlyMemory<byte> body = message.Body;
        string? server = null;
        if (isEncrypted)
        {
            server = message.Headers["Nats-Server-Xkey"]!;
            body = _curve.Open(body.Span, server);
        }

        JsonObject request = JwtSigner.Read(Encoding.ASCII.GetString(body.Span));
        _requests.Enqueue(request);
        byte[] answer = AnswerTo(request);
        message.Respond(server is null || answer.Length == 0 ? answer : _curve.Seal(answer, server));
    }

    private byte[] AnswerTo(JsonObject request)
    {
        string name = request["nats"]!["connect_opts"]!["user"]!.ToString();
        string key = request["nats"]!["user_nkey"]!.ToString();
        string server = name == "server" ? NkeyPair.Generate(NkeyKind.Server).PublicKey : request["nats"]!["server_id"]!["id"]!.ToString();
        long now = DateTimeOffset.UtcNow.ToUnixTimeSeconds();
        string jwt = name switch
        {
            "bob" => UserJwt(key, name, _appSigning, UserClaims("a.>", _app)),
            "role" => UserJwt(key, name, _appRole, new JsonObject { ["issuer_account"] = _app.PublicKey }),
            "widened" => UserJwt(key, name, _appRole, UserClaims(">", _app)),
            "own" => UserJwt(key, name, _auth, UserClaims("a.>")),
            "not" => UserJwt(key, name, _not, UserClaims("a.>")),
            "stranger" => UserJwt(key, name, NkeyPair.Generate(NkeyKind.Account), UserClaims("a.>")),
            "unknown" => UserJwt(key, name, NkeyPair.Generate(NkeyKind.Account), UserClaims("a.>", _app)),
            "other" => UserJwt(NkeyPair.Generate(NkeyKind.User).PublicKey, name, _app, UserClaims("a.>")),
            "expired" => UserJwt(key, name, _app, UserClaims("a.>"), "exp", now - 10),
            "early" => UserJwt(key, name, _app, UserClaims("a.>"), "nbf", now + 1000),
            _ => UserJwt(key, name, _app, UserClaims("a.>")),
        };
        return name switch
        {
            "empty" => [],
            "garbage" => "eyJ no JWT"u8.ToArray(),
            _ => Encoding.ASCII.GetBytes(JwtSigner.Sign(name == "signed" ? _authSigning : _auth, Envelope(name, key, server, jwt))),
        };
    }

    private JsonObject Envelope(string name, string key, string server, string jwt)
    {
        var nats = new JsonObject { ["type"] = "authorization_response", ["version"] = 2 };
        nats[name == "nobody" ? "error" : "jwt"] = name == "nobody" ? "no such user" : jwt;
        if (name == "signed")
        {
            nats["issuer_account"] = _auth.PublicKey;
        }

        return new JsonObject { ["sub"] = key, ["aud"] = server, ["nats"] = nats };
    }

    private static JsonObject UserClaims(string allow, NkeyPair? account = null)
    {
        var nats = new JsonObject { ["subs"] = -1, ["data"] = -1, ["payload"] = -1, ["pub"] = new JsonObject { ["allow"] = new JsonArray(allow) } };
        if (account is not null)
        {
            nats["issuer_account"] = account.PublicKey;
        }

        return nats;
    }

    // The JWT that all clients of the service share. It allows nothing.
    private static JsonObject Sentinel() => new()
    {
        ["subs"] = -1,
        ["data"] = -1,
        ["payload"] = -1,
        ["bearer_token"] = true,
        ["pub"] = new JsonObject { ["deny"] = new JsonArray(">") },
        ["sub"] = new JsonObject { ["deny"] = new JsonArray(">") },
    };

    private static string UserJwt(NkeyPair user, NkeyPair account, JsonObject? nats = null) => UserJwt(user.PublicKey, "n", account, nats ?? UserClaims(">"));

    private static string UserJwt(string key, string name, NkeyPair signer, JsonObject nats, string? more = null, long value = 0)
    {
        nats["type"] = "user";
        nats["version"] = 2;
        var claims = new JsonObject { ["sub"] = key, ["name"] = name, ["nats"] = nats };
        if (more is not null)
        {
            claims[more] = value;
        }

        return JwtSigner.Sign(signer, claims);
    }

    private string Configuration(bool isEncrypted, JsonObject? claim = null)
    {
        claim ??= new JsonObject { ["auth_users"] = new JsonArray(_service.PublicKey), ["allowed_accounts"] = new JsonArray(_app.PublicKey) };
        if (isEncrypted)
        {
            claim["xkey"] = _curve.PublicKey;
        }

        var role = new JsonObject
        {
            ["kind"] = "user_scope",
            ["key"] = _appRole.PublicKey,
            ["role"] = "r",
            ["template"] = UserClaims("b.>"),
        };
        string operatorJwt = JwtSigner.Sign(_operator, new JsonObject { ["sub"] = _operator.PublicKey, ["name"] = "o", ["nats"] = new JsonObject { ["type"] = "operator", ["version"] = 2 } });
        return $$"""
            authorization { timeout: 15 }
            operator: "{{operatorJwt}}"
            system_account: {{_system}}
            resolver: MEMORY
            resolver_preload {
              {{_system}}: "{{AccountJwt(_system, new JsonArray())}}"
              {{_auth}}: "{{AccountJwt(_auth, new JsonArray(_authSigning.PublicKey), claim)}}"
              {{_app}}: "{{AccountJwt(_app, new JsonArray(_appSigning.PublicKey, role))}}"
              {{_not}}: "{{AccountJwt(_not, new JsonArray())}}"
            }

            """;
    }

    private string AccountJwt(NkeyPair account, JsonArray signingKeys, JsonObject? authorization = null)
    {
        var limits = new JsonObject { ["wildcards"] = true };
        foreach (string limit in (string[])["subs", "data", "payload", "imports", "exports", "conn", "leaf"])
        {
            limits[limit] = -1;
        }

        var nats = new JsonObject { ["type"] = "account", ["version"] = 2, ["limits"] = limits, ["signing_keys"] = signingKeys };
        if (authorization is not null)
        {
            nats["authorization"] = authorization;
        }

        return JwtSigner.Sign(_operator, new JsonObject { ["sub"] = account.PublicKey, ["name"] = "a", ["nats"] = nats });
    }

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
}
