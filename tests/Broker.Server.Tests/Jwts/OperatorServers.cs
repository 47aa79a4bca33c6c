using System.Net;

namespace Broker.Server.Tests.Jwts;

/// <summary>This server and two releases of nats-server with the same operator and accounts, for a whole class.</summary>
public sealed class OperatorServers : IAsyncLifetime
{
    private readonly Dictionary<string, NatsServer> _theirs = new(StringComparer.Ordinal);
    private BrokerServer? _ours;

    internal JwtSite Site { get; } = new();

    internal JwtKey User { get; } = JwtKey.ForUser();

    internal JwtKey Revoked { get; } = JwtKey.ForUser();

    /// <summary>A plain signing key of the account.</summary>
    internal JwtKey Signing { get; } = JwtKey.ForAccount();

    /// <summary>A signing key with a template.</summary>
    internal JwtKey Scoped { get; } = JwtKey.ForAccount();

    /// <summary>Accounts by their names in the cases.</summary>
    internal IReadOnlyDictionary<string, JwtKey> Accounts { get; } = new[] { "main", "exporter", "one", "empty", "bearerless", "expired", "early", "small" }
        .ToDictionary(static name => name, static _ => JwtKey.ForAccount(), StringComparer.Ordinal);

    internal EndPoint Ours => _ours!.EndPoints[0];

    public async ValueTask InitializeAsync()
        => _ours = await BrokerServer.StartAsync(
            o =>
            {
                o.Listen(0);
                o.SignatureVerifier = TestSignatures.One;
                o.AuthTimeout = Wait.Limit;
                o.Operator = new OperatorOptions { Operators = [Site.OperatorJwt()], Accounts = JwtSite.ByAccount(Jwts()) };
            },
            TestContext.Current.CancellationToken);

    public async ValueTask DisposeAsync()
    {
        foreach (NatsServer server in _theirs.Values)
        {
            server.Dispose();
        }

        await _ours!.DisposeAsync();
    }

    /// <summary>The address of a release of nats-server; null for the installed one.</summary>
    internal EndPoint Theirs(string? release)
    {
        if (!_theirs.TryGetValue(release ?? "", out NatsServer? server))
        {
            string preload = string.Join('\n', JwtSite.ByAccount(Jwts()).Select(static a => $"{a.Key}: \"{a.Value}\""));
            string text = $"authorization {{ timeout: 60 }}\noperator: \"{Site.OperatorJwt()}\"\nresolver: MEMORY\nresolver_preload {{\n{preload}\n}}\n";
            server = release is null ? NatsServer.StartWithConfiguration(text)
                : NatsServer.StartWithConfiguration(text, NewerNatsServers.Require(release), []);
            _theirs.Add(release ?? "", server);
        }

        return server.EndPoint;
    }

    // Ed25519 signatures are deterministic, so each call returns the same texts.
    private IEnumerable<string> Jwts()
    {
        const string Template = "{\"subs\":2,\"data\":-1,\"payload\":-1,\"pub\":{\"allow\":[\"{{name()}}.>\",\"in.{{tag(team)}}\",\"{{subject()}}\"]},\"sub\":{\"allow\":[\"{{account-subject()}}.>\",\"out.{{tag(none)}}\"],\"deny\":[\"no\"]}}";
        string keys = $"\"signing_keys\":[\"{Signing}\",{{\"kind\":\"user_scope\",\"key\":\"{Scoped}\",\"role\":\"r\",\"template\":{Template}}}]";
        string imports = $"\"imports\":[{{\"name\":\"s\",\"subject\":\"s.>\",\"type\":\"stream\",\"account\":\"{Accounts["exporter"]}\",\"local_subject\":\"from.s.>\"}},{{\"name\":\"q\",\"subject\":\"q\",\"local_subject\":\"my.q\",\"type\":\"service\",\"account\":\"{Accounts["exporter"]}\"}},{{\"name\":\"t\",\"subject\":\"t\",\"type\":\"service\",\"account\":\"{Accounts["exporter"]}\"}}]";
        const string Exports = "\"exports\":[{\"name\":\"s\",\"subject\":\"s.>\",\"type\":\"stream\"},{\"name\":\"q\",\"subject\":\"q\",\"type\":\"service\"},{\"name\":\"t\",\"subject\":\"t\",\"type\":\"service\",\"token_req\":true}]";
        yield return Site.AccountJwt(
            Accounts["main"],
            $"{JwtSite.NoLimits},{keys},{imports},\"mappings\":{{\"old\":[{{\"subject\":\"new\",\"weight\":100}}]}},\"default_permissions\":{{\"pub\":{{\"deny\":[\"d\"]}}}},\"revocations\":{{\"{Revoked}\":1700000000}},");
        yield return Site.AccountJwt(Accounts["exporter"], $"{JwtSite.NoLimits},{Exports},");
        yield return Site.AccountJwt(Accounts["one"], JwtSite.NoLimits.Replace("\"conn\":-1", "\"conn\":1", StringComparison.Ordinal) + ",");
        yield return Site.AccountJwt(Accounts["empty"], "\"limits\":{},");
        yield return Site.AccountJwt(Accounts["bearerless"], JwtSite.NoLimits.Replace("\"subs\"", "\"disallow_bearer\":true,\"subs\"", StringComparison.Ordinal) + ",");
        yield return Site.AccountJwt(Accounts["expired"], more: "\"exp\":1700000001,");
        yield return Site.AccountJwt(Accounts["early"], more: "\"nbf\":4000000000,");
        yield return Site.AccountJwt(Accounts["small"], JwtSite.NoLimits.Replace("\"payload\":-1", "\"payload\":4", StringComparison.Ordinal).Replace("\"subs\":-1", "\"subs\":1", StringComparison.Ordinal) + ",");
    }
}
