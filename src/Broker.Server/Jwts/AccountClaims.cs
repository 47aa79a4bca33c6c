using System.Text;
using System.Text.Json;
using Broker.Protocol;

namespace Broker.Server;

/// <summary>The claims of an account that the server uses.</summary>
internal sealed class AccountClaims
{
    private readonly Dictionary<string, SigningKey> _keys = new(StringComparer.Ordinal);

    /// <exception cref="JwtException">A claim is wrong.</exception>
    /// <exception cref="ArgumentException">A subject in a claim is not valid.</exception>
    internal AccountClaims(Jwt jwt)
    {
        Jwt = jwt;
        ClaimObject limits = jwt.Nats.Object("limits");
        MaxConnections = limits.Limit("conn");
        MaxSubscriptions = limits.Limit("subs");
        MaxPayload = limits.Limit("payload");
        limits.Limit("data");
        limits.Limit("leaf");
        RefusesBearer = limits.Flag("disallow_bearer");
        foreach (JsonElement key in jwt.Nats.Elements("signing_keys"))
        {
            Add(key);
        }

        DefaultAccess = JwtPermissions.Read(jwt.Nats.Object("default_permissions")).Compile();
        Revocations = new Revocations(jwt.Nats.Object("revocations"));
        Tags = jwt.Nats.Texts("tags", maySplit: true);
        Exports = [.. jwt.Nats.Objects("exports").Select(static e => new ExportClaim(e))];
        Imports = [.. jwt.Nats.Objects("imports").Select(static i => new ImportClaim(i))];
        Mappings = [.. MappingsOf(jwt.Nats.Object("mappings"))];
        Authorization = AuthorizationClaim.Read(jwt.Nats.Object("authorization"));
        Check(limits);
        ExportsDigest = jwt.Nats.Digest("exports", "signing_keys");
        ImportsDigest = jwt.Nats.Digest("imports");
        AccountPlan.Check(ToOptions());
        jwt.Forget();
    }

    internal Jwt Jwt { get; }

    /// <summary>The public key, which is the name of the account in the server.</summary>
    internal string Key => Jwt.Subject;

    /// <summary>The maximum number of clients; null for no limit.</summary>
    internal int? MaxConnections { get; }

    /// <summary>The maximum number of subscriptions of each client; null for no limit.</summary>
    internal int? MaxSubscriptions { get; }

    /// <summary>The maximum payload in bytes; null for no limit.</summary>
    internal int? MaxPayload { get; }

    /// <summary>Whether each user must prove that it has its key.</summary>
    internal bool RefusesBearer { get; }

    /// <summary>The rules of users without permissions of their own; null if everything is allowed.</summary>
    internal AccessRules? DefaultAccess { get; }

    /// <summary>The revoked users.</summary>
    internal Revocations Revocations { get; }

    internal IReadOnlyList<string> Tags { get; }

    internal IReadOnlyList<ExportClaim> Exports { get; }

    internal IReadOnlyList<ImportClaim> Imports { get; }

    internal IReadOnlyList<SubjectMapping> Mappings { get; }

    /// <summary>The service that decides about logins; null for none.</summary>
    internal AuthorizationClaim? Authorization { get; }

    /// <summary>A hash of the claims that other accounts depend on when they import.</summary>
    internal byte[] ExportsDigest { get; }

    /// <summary>A hash of the imports.</summary>
    internal byte[] ImportsDigest { get; }

    /// <summary>
    /// Creates the configuration of the account, without its imports. An export that needs activations names no account:
    /// each import proves that it is permitted.
    /// </summary>
    internal AccountOptions ToOptions() => new(Key)
    {
        MaxConnections = MaxConnections,
        MaxSubscriptions = MaxSubscriptions,
        MaxPayload = MaxPayload,
        Mappings = Mappings,
        Exports = [.. Exports.Select(static e => e.Export)],
    };

    /// <summary>Finds a signing key; null if the account has no such key.</summary>
    internal SigningKey? FindKey(string key) => _keys.GetValueOrDefault(key);

    private void Add(JsonElement json)
    {
        string? key = json.ValueKind == JsonValueKind.String ? json.GetString() : null;
        UserTerms? template = null;
        if (key is null)
        {
            var scope = new ClaimObject(json, Jwt.Nats.PathOf("signing_keys"));
            key = scope.Text("key");
            if (scope.Text("kind") is not "user_scope")
            {
                throw scope.Wrong("kind", "must be \"user_scope\"");
            }

            template = new UserTerms(scope.Object("template"));
        }

        if (!PublicKey.IsValid(key, KeyKind.Account))
        {
            throw Jwt.Nats.Wrong("signing_keys", "contains a text that is not the key of an account");
        }

        if (!_keys.TryAdd(key!, new SigningKey(key!, template)))
        {
            throw Jwt.Nats.Wrong("signing_keys", "contains a key twice");
        }
    }

    private void Check(ClaimObject limits)
    {
        if (Exports.Count > (limits.Limit("exports") ?? int.MaxValue))
        {
            throw Jwt.Nats.Wrong("exports", "has more entries than \"nats.limits.exports\" allows");
        }

        if (Imports.Count > (limits.Limit("imports") ?? int.MaxValue))
        {
            throw Jwt.Nats.Wrong("imports", "has more entries than \"nats.limits.imports\" allows");
        }

        if (!limits.Flag("wildcards") && Exports.Any(e => Subject.HasWildcard(Encoding.UTF8.GetBytes(e.Export.Subject))))
        {
            throw Jwt.Nats.Wrong("exports", "has a wildcard, which \"nats.limits.wildcards\" does not allow");
        }

    }

    private static IEnumerable<SubjectMapping> MappingsOf(ClaimObject mappings)
    {
        foreach (string source in mappings.Names)
        {
            // This server is in no cluster, so a destination for a cluster never applies.
            MappingDestination[] destinations =
            [
                .. mappings.Objects(source).Where(static d => string.IsNullOrEmpty(d.Text("cluster"))).Select(static d =>
                    new MappingDestination(d.Text("subject") ?? "", (int)Math.Clamp(d.Whole("weight"), -1, int.MaxValue) is var w and not 0 ? w : 100)),
            ];
            if (destinations.Length > 0)
            {
                yield return new SubjectMapping(source, destinations);
            }
        }
    }
}
