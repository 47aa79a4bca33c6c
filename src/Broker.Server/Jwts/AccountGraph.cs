using System.Diagnostics.CodeAnalysis;

namespace Broker.Server;

/// <summary>
/// The accounts in use and the imports between them. A change of one account links only this account and those that
/// import from it. Not thread-safe.
/// </summary>
internal sealed class AccountGraph
{
    private readonly Dictionary<string, LinkedAccount> _accounts = new(StringComparer.Ordinal);

    // Key: an account, which need not exist. Value: the accounts whose JWTs import from it.
    private readonly Dictionary<string, HashSet<string>> _importers = new(StringComparer.Ordinal);

    // Accounts with an import that has no effect because it would close a cycle. Any change can open the cycle.
    private readonly HashSet<string> _cyclic = new(StringComparer.Ordinal);
    private readonly SortedSet<(long When, string Account)> _changes = [];
    private readonly AccountLinker _linker;

    internal AccountGraph(ISignatureVerifier verifier) => _linker = new AccountLinker(_accounts, verifier);

    internal IReadOnlyCollection<LinkedAccount> All => _accounts.Values;

    internal int Count => _accounts.Count;

    /// <summary>
    /// The Unix time in seconds when an account or an activation expires or becomes valid next;
    /// <see cref="long.MaxValue"/> for never.
    /// </summary>
    internal long NextChange => _changes.Count == 0 ? long.MaxValue : _changes.Min.When;

    internal bool TryFind(string account, [NotNullWhen(true)] out LinkedAccount? found) => _accounts.TryGetValue(account, out found);

    /// <summary>Whether an account in use imports from this one, which need not exist.</summary>
    internal bool IsImported(string account) => _importers.ContainsKey(account);

    /// <summary>The accounts whose next change is due.</summary>
    internal IReadOnlyList<AccountClaims> Due(long now)
        => [.. _changes.TakeWhile(c => c.When <= now).Select(c => _accounts[c.Account].Claims)];

    /// <summary>Adds, replaces and removes accounts. Returns those whose configuration changes.</summary>
    /// <param name="set">The claims of accounts to add or to replace.</param>
    /// <param name="removed">The accounts to remove.</param>
    /// <param name="now">The Unix time in seconds.</param>
    internal IReadOnlyList<LinkedAccount> Apply(IReadOnlyCollection<AccountClaims> set, IReadOnlyCollection<string> removed, long now)
    {
        var affected = new HashSet<string>(StringComparer.Ordinal);
        foreach (AccountClaims claims in set)
        {
            LinkedAccount? before = Forget(claims.Key);
            var added = LinkedAccount.Of(claims);
            if (before is not null && before.Claims.ImportsDigest.AsSpan().SequenceEqual(claims.ImportsDigest))
            {
                // The linker uses a link again that has not changed. So its messages do not notice the update.
                added = added with { Links = before.Links };
            }

            _accounts[claims.Key] = added;
            foreach (ImportClaim import in claims.Imports)
            {
                ImportersOf(import.Account).Add(claims.Key);
            }

            affected.Add(claims.Key);
            if (before is null || ReferenceEquals(before.Claims, claims) || !before.Claims.ExportsDigest.AsSpan().SequenceEqual(claims.ExportsDigest)
                || before.Claims.Jwt.WhyNotNow(now) is not null || claims.Jwt.WhyNotNow(now) is not null)
            {
                affected.UnionWith(_importers.GetValueOrDefault(claims.Key, []));
            }
        }

        foreach (string account in removed)
        {
            if (Forget(account) is not null)
            {
                affected.UnionWith(_importers.GetValueOrDefault(account, []));
            }
        }

        affected.UnionWith(_cyclic);
        affected.IntersectWith(_accounts.Keys);
        return Link(affected, now);
    }

    private LinkedAccount[] Link(HashSet<string> affected, long now)
    {
        var before = affected.ToDictionary(static a => a, a => _accounts[a].Links, StringComparer.Ordinal);
        foreach (string account in affected)
        {
            // Links that this change replaces must not count as parts of a cycle.
            _accounts[account] = _accounts[account] with { Links = new ImportLink?[before[account].Length] };
        }

        foreach (string account in affected)
        {
            LinkedAccount old = _accounts[account];
            LinkedAccount linked = _linker.Link(old, before[account], now, out bool isCyclic);
            _accounts[account] = linked;
            _ = isCyclic ? _cyclic.Add(account) : _cyclic.Remove(account);
            _changes.Remove((old.NextChange, account));
            if (linked.NextChange != long.MaxValue)
            {
                _changes.Add((linked.NextChange, account));
            }
        }

        return [.. affected.Select(a => _accounts[a])];
    }

    private LinkedAccount? Forget(string account)
    {
        if (!_accounts.Remove(account, out LinkedAccount? before))
        {
            return null;
        }

        _cyclic.Remove(account);
        _changes.Remove((before.NextChange, account));
        foreach (ImportClaim import in before.Claims.Imports)
        {
            if (_importers.TryGetValue(import.Account, out HashSet<string>? importers) && importers.Remove(account) && importers.Count == 0)
            {
                _importers.Remove(import.Account);
            }
        }

        return before;
    }

    private HashSet<string> ImportersOf(string account)
    {
        if (!_importers.TryGetValue(account, out HashSet<string>? importers))
        {
            _importers.Add(account, importers = new HashSet<string>(StringComparer.Ordinal));
        }

        return importers;
    }
}
