using System.Collections.Concurrent;
using System.Text;
using System.Text.Json.Nodes;
using Broker.Client;
using Broker.Cryptography;

namespace Broker.Cli.Tests.Callouts;

/// <summary>An auth callout service, which answers rightly or wrongly: the name of the user says how.</summary>
internal sealed class CalloutService : IAsyncDisposable
{
    internal const string Password = "secret-of-ada";

    private readonly BrokerConnection _connection;
    private readonly NkeyPair _issuer;
    private readonly NkeyPair? _curve;
    private byte[]? _first;

    private CalloutService(BrokerConnection connection, NkeyPair issuer, NkeyPair? curve)
    {
        _connection = connection;
        _issuer = issuer;
        _curve = curve;
    }

    /// <summary>The requests, decrypted and verified.</summary>
    internal ConcurrentQueue<JsonObject> Requests { get; } = new();

    internal IEnumerable<string> Names => Requests.Select(static r => NameOf(r));

    internal static async Task<CalloutService> StartAsync(string url, NkeyPair issuer, NkeyPair? curve)
    {
        BrokerConnection connection = await BrokerConnection.ConnectAsync(
            new ClientOptions { Servers = [url], User = "service", Password = "service", ConnectTimeout = Wait.Limit }, TestContext.Current.CancellationToken);
        var service = new CalloutService(connection, issuer, curve);
        connection.Subscribe("$SYS.REQ.USER.AUTH", (in m) => service.Answer(m.ToMessage()));
        await connection.FlushAsync(TestContext.Current.CancellationToken);
        return service;
    }

    public ValueTask DisposeAsync() => _connection.DisposeAsync();

    private static string NameOf(JsonObject request)
        => request["nats"]!["connect_opts"]!["user"]?.ToString() ?? request["nats"]!["connect_opts"]!["auth_token"]?.ToString() ?? "";

    private void Answer(Message message)
    {
        ReadOnlyMemory<byte> body = message.Body;
        string? server = null;
        if (_curve is not null)
        {
            server = message.Headers["Nats-Server-Xkey"]!;
            body = _curve.Open(body.Span, server);
        }

        JsonObject request = JwtSigner.Read(Encoding.ASCII.GetString(body.Span));
        Requests.Enqueue(request);
        if (AnswerTo(request) is { } answer)
        {
            _first ??= answer;
            message.Respond(server is null || answer.Length == 0 ? answer : _curve!.Seal(answer, server));
        }
    }

    // Null for no answer.
    private byte[]? AnswerTo(JsonObject request)
    {
        string name = NameOf(request);
        string key = request["nats"]!["user_nkey"]!.ToString();
        string server = name == "server" ? NkeyPair.Generate(NkeyKind.Server).PublicKey : request["nats"]!["server_id"]!["id"]!.ToString();
        var other = NkeyPair.Generate(NkeyKind.Account);
        return name switch
        {
            "late" => null,
            "empty" => [],
            "garbage" => "eyJ no JWT"u8.ToArray(),
            "replay" => _first,
            "nobody" => Envelope(key, server, null, "no such user", _issuer),
            "ada" when request["nats"]!["connect_opts"]!["pass"]?.ToString() != Password => Envelope(key, server, null, "wrong password", _issuer),
            "both" => Envelope(key, server, User(request, name, key, _issuer), "an error", _issuer),
            "neither" => Envelope(key, server, null, null, _issuer),
            "envelope" => Envelope(key, server, User(request, name, key, _issuer), null, other),
            "stranger" => Envelope(key, server, User(request, name, key, other), null, _issuer),
            "other" => Envelope(key, server, User(request, name, NkeyPair.Generate(NkeyKind.User).PublicKey, _issuer), null, _issuer),
            "other-answer" => Envelope(NkeyPair.Generate(NkeyKind.User).PublicKey, server, User(request, name, key, _issuer), null, _issuer),
            _ => Envelope(key, server, User(request, name, key, _issuer), null, _issuer),
        };
    }

    private static byte[] Envelope(string key, string server, string? jwt, string? error, NkeyPair signer)
    {
        var nats = new JsonObject { ["type"] = "authorization_response", ["version"] = 2 };
        if (jwt is not null)
        {
            nats["jwt"] = jwt;
        }

        if (error is not null)
        {
            nats["error"] = error;
        }

        return Encoding.ASCII.GetBytes(JwtSigner.Sign(signer, new JsonObject { ["sub"] = key, ["aud"] = server, ["nats"] = nats }));
    }

    private static string User(JsonObject request, string name, string key, NkeyPair signer)
    {
        long now = DateTimeOffset.UtcNow.ToUnixTimeSeconds();
        var nats = new JsonObject
        {
            ["type"] = "user",
            ["version"] = 2,
            ["subs"] = -1,
            ["data"] = -1,
            ["payload"] = -1,
            ["pub"] = new JsonObject { ["allow"] = new JsonArray("a.>"), ["deny"] = new JsonArray("a.secret") },
        };
        var claims = new JsonObject { ["sub"] = key, ["name"] = name, ["aud"] = name == "noaccount" ? "NOPE" : name == "bob" ? "OTHER" : "APP", ["nats"] = nats };
        switch (name)
        {
            case "noaud":
                claims.Remove("aud");
                break;
            case "expired":
                claims["exp"] = now - 10;
                break;
            case "early":
                claims["nbf"] = now + 1000;
                break;
            case "short":
                claims["exp"] = now + 3;
                break;
            case "away":
                nats["src"] = new JsonArray("192.0.2.0/24");
                break;
            case "browser":
                nats["allowed_connection_types"] = new JsonArray("WEBSOCKET");
                break;
            case "switched":
                nats["issuer_account"] = request["sub"]!.ToString();
                break;
            case "all":
                nats.Remove("pub");
                break;
        }

        return JwtSigner.Sign(signer, claims);
    }
}
