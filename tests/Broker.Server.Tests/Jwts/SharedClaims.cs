using System.Globalization;

namespace Broker.Server.Tests.Jwts;

/// <summary>Random claims of an account that shares subjects with others.</summary>
internal sealed class SharedClaims
{
    private const int RootCount = 3;

    private readonly int _maxExports;
    private readonly int _maxImports;
    private readonly bool _wildcards;

    /// <param name="random">The source of the claims.</param>
    /// <param name="account">The account.</param>
    /// <param name="all">All accounts of the world.</param>
    /// <param name="isGentle">Whether claims are left out for which nats-server refuses all users of the account.</param>
    internal SharedClaims(Random random, SharedAccount account, IReadOnlyList<SharedAccount> all, bool isGentle)
    {
        JwtKey[] others = [.. all.Where(a => a != account).Select(static a => a.Key)];
        // Some exports of the last claims remain.
        Exports = [.. RootsOf(account).Where(_ => random.Next(5) > 0).Select(root => KeepOrNew(random, account, root, others))];
        // Between accounts that import from each other, nats-server has refused an import that is permitted.
        Imports =
        [
            .. all.Where(a => isGentle ? a.Number < account.Number : a != account).SelectMany(from => RootsOf(from).Where(_ => random.Next(3) > 0).Select(root =>
                new SharedImport(random, account, from, from.Claims?.Exports.FirstOrDefault(e => e.Root == root) ?? new SharedExport(random, root, [account.Key]), isGentle))),
        ];
        _maxExports = random.Next(4) == 0 ? random.Next(Exports.Count - 1, Exports.Count + 2) : -1;
        _maxImports = random.Next(4) == 0 ? random.Next(Imports.Count - 1, Imports.Count + 2) : -1;
        _wildcards = random.Next(6) > 0;
        MaxConnections = random.Next(3) == 0 ? random.Next(4) : -1;
        HasSigning = random.Next(4) > 0;
        HasMapping = random.Next(2) == 0;
        MapsToken = random.Next(2) == 0;
        Default = new ResponseRights(random);
        Role = new ResponseRights(random);
    }

    internal IReadOnlyList<SharedExport> Exports { get; }

    internal IReadOnlyList<SharedImport> Imports { get; }

    internal int MaxConnections { get; }

    internal bool HasSigning { get; }

    internal bool HasMapping { get; }

    /// <summary>Whether the mapping has a wildcard.</summary>
    internal bool MapsToken { get; }

    internal ResponseRights Default { get; }

    internal ResponseRights Role { get; }

    /// <summary>The claims that decide whether the JWT is accepted at all.</summary>
    internal IEnumerable<(string Claim, bool Lets)> Decide()
    {
        if (_maxExports >= 0)
        {
            yield return ("limits.exports", Exports.Count <= _maxExports);
        }

        if (_maxImports >= 0)
        {
            yield return ("limits.imports", Imports.Count <= _maxImports);
        }

        if (Exports.Any(static e => e.HasWildcard))
        {
            yield return ("limits.wildcards", _wildcards);
        }
    }

    internal string ToJson(SharedAccount account)
    {
        string limits = string.Create(
            CultureInfo.InvariantCulture,
            $"\"limits\":{{\"subs\":-1,\"data\":-1,\"payload\":-1,\"imports\":{_maxImports},\"exports\":{_maxExports},\"wildcards\":{(_wildcards ? "true" : "false")},\"conn\":{MaxConnections},\"leaf\":-1}}");
        string mapping = !HasMapping ? ""
            : MapsToken ? $"\"mappings\":{{\"m{account.Number}.*\":[{{\"subject\":\"d{account.Number}.$1\",\"weight\":100}}]}},"
            : $"\"mappings\":{{\"m{account.Number}.a\":[{{\"subject\":\"d{account.Number}.a\",\"weight\":100}}]}},";
        string keys = (HasSigning ? $"\"{account.Signing}\"," : "")
            + $"{{\"kind\":\"user_scope\",\"key\":\"{account.Scoped}\",\"role\":\"r\",\"template\":{{{JwtSite.NoUserLimits},{Role.ToJson()}}}}}";
        return $"{limits},{mapping}\"signing_keys\":[{keys}],\"default_permissions\":{{{Default.ToJson()}}},"
            + $"\"exports\":[{string.Join(',', Exports.Select(static e => e.ToJson()))}],\"imports\":[{string.Join(',', Imports.Select(static i => i.ToJson()))}],"
            + "\"type\":\"account\",\"version\":2";
    }

    private static IEnumerable<string> RootsOf(SharedAccount account)
        => Enumerable.Range(0, RootCount).Select(i => string.Create(CultureInfo.InvariantCulture, $"x{account.Number}e{i}"));

    private static SharedExport KeepOrNew(Random random, SharedAccount account, string root, JwtKey[] others)
        => random.Next(2) == 0 && account.Claims?.Exports.FirstOrDefault(e => e.Root == root) is { } old ? old : new SharedExport(random, root, others);
}
