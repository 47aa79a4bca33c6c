namespace Broker.Server;

/// <summary>
/// Turns the claims of accounts into the configuration of accounts. An import that its exporter does not permit has no
/// effect, as in nats-server: a mistake of one account must not stop the others.
/// </summary>
internal sealed class AccountLinker(IReadOnlyDictionary<string, AccountClaims> accounts, ISignatureVerifier verifier, long now)
{
    private readonly List<string> _warnings = [];
    private readonly Dictionary<ExportClaim, HashSet<string>> _activated = [];

    // Key: the account and its import. Value: why it has no effect; null if it has.
    private readonly Dictionary<ImportClaim, string?> _checked = [];

    internal IReadOnlyList<string> Warnings => _warnings;

    /// <summary>
    /// The Unix time in seconds when an activation expires or becomes valid; <see cref="long.MaxValue"/> for never.
    /// </summary>
    internal long NextChange { get; private set; } = long.MaxValue;

    internal AccountOptions ToOptions(AccountClaims account)
    {
        CheckAll();
        return new AccountOptions(account.Key)
        {
            MaxConnections = account.MaxConnections,
            MaxSubscriptions = account.MaxSubscriptions,
            MaxPayload = account.MaxPayload,
            Mappings = account.Mappings,
            Exports = [.. account.Exports.Select(ToExport)],
            Imports = [.. account.Imports.Where(i => _checked[i] is null).Select(static i => i.Import)],
        };
    }

    // An export that needs activations is exported to the accounts that have one.
    private AccountExport ToExport(ExportClaim export)
        => !export.NeedsToken ? export.Export
            : export.Export is ServiceExport service
                ? new ServiceExport(service.Subject)
                {
                    Response = service.Response,
                    ResponseTimeout = service.ResponseTimeout,
                    Accounts = [.. _activated.GetValueOrDefault(export, [])],
                }
                : new StreamExport(export.Export.Subject) { Accounts = [.. _activated.GetValueOrDefault(export, [])] };

    private void CheckAll()
    {
        if (_checked.Count > 0)
        {
            return;
        }

        foreach (AccountClaims account in accounts.Values)
        {
            var services = new HashSet<string>(StringComparer.Ordinal);
            foreach (ImportClaim import in account.Imports)
            {
                string? why = WhyNot(account, import)
                    ?? (import.IsService && !services.Add(import.Import.LocalSubject) ? "another import has the same subject" : null);
                _checked[import] = why;
                if (why is not null)
                {
                    _warnings.Add($"Account {account.Key} imports '{import.Subject}' of {import.Account} without effect: {why}");
                }
            }
        }
    }

    private string? WhyNot(AccountClaims importer, ImportClaim import)
    {
        if (!accounts.TryGetValue(import.Account, out AccountClaims? exporter))
        {
            return "there is no such account";
        }

        if (exporter.Jwt.WhyNotNow(now) is { } late)
        {
            return $"the JWT of the other account: {late}";
        }

        if (import.Import is StreamImport { Prefix: { } prefix } && prefix.AsSpan().ContainsAny('*', '>'))
        {
            return "its prefix contains a wildcard";
        }

        if (ImportMapping.Create(import.Import.Subject, import.Import.LocalSubject, import.IsService, out string? problem) is null)
        {
            return problem;
        }

        if (exporter.Exports.FirstOrDefault(e => e.Covers(import, importer.Key)) is not { } export)
        {
            return "it is not exported";
        }

        if (!export.NeedsToken)
        {
            return null;
        }

        string? why = WhyNotActivated(importer, exporter, import, export);
        if (why is null)
        {
            if (!_activated.TryGetValue(export, out HashSet<string>? to))
            {
                _activated.Add(export, to = new HashSet<string>(StringComparer.Ordinal));
            }

            to.Add(importer.Key);
        }

        return why;
    }

    private string? WhyNotActivated(AccountClaims importer, AccountClaims exporter, ImportClaim import, ExportClaim export)
    {
        if (import.Token is null)
        {
            return "it has no activation";
        }

        if (!Jwt.TryRead(import.Token, JwtKind.Activation, verifier, out Jwt? jwt, out string? reason))
        {
            return $"its activation is refused: {reason}";
        }

        try
        {
            var activation = new ActivationClaims(jwt);
            if (now < jwt.Expires)
            {
                NextChange = Math.Min(NextChange, now < jwt.NotBefore ? jwt.NotBefore : jwt.Expires);
            }

            return !string.Equals(jwt.Subject, importer.Key, StringComparison.Ordinal) ? "its activation is for another account"
                : !string.Equals(activation.Account, exporter.Key, StringComparison.Ordinal) ? "its activation is of another account"
                : !string.Equals(jwt.Issuer, exporter.Key, StringComparison.Ordinal) && exporter.FindKey(jwt.Issuer) is null ? "a key that the other account does not have has signed its activation"
                : jwt.WhyNotNow(now) is { } late ? $"its activation: {late}"
                : !activation.Covers(import) ? "its activation is for another subject"
                : export.Revokes(jwt) ? "its activation is revoked"
                : null;
        }
        catch (JwtException e)
        {
            return $"its activation is refused: {e.Message}";
        }
    }
}
