namespace Broker.Server;

/// <summary>
/// Finds the imports of an account that its exporters permit. An import that is not permitted has no effect, as in
/// nats-server: a mistake of one account must not stop the others.
/// </summary>
internal sealed class AccountLinker(IReadOnlyDictionary<string, LinkedAccount> accounts, ISignatureVerifier verifier)
{
    /// <summary>Links the imports of an account.</summary>
    /// <param name="account">The account.</param>
    /// <param name="before">The earlier links of the same imports, which are used again if they have not changed.</param>
    /// <param name="now">The Unix time in seconds.</param>
    /// <param name="isCyclic">Whether an import has no effect because it would close a cycle.</param>
    internal LinkedAccount Link(LinkedAccount account, ImportLink?[] before, long now, out bool isCyclic)
    {
        AccountClaims claims = account.Claims;
        var links = new ImportLink?[claims.Imports.Count];
        var warnings = new List<string>();
        // Two services must not have the same subject, because a requester would receive two replies.
        var known = new HashSet<(string Local, string? From, string? Remote)>();
        isCyclic = false;
        long next = now < claims.Jwt.NotBefore ? claims.Jwt.NotBefore : now < claims.Jwt.Expires ? claims.Jwt.Expires : long.MaxValue;
        for (int i = 0; i < links.Length; i++)
        {
            ImportClaim import = claims.Imports[i];
            string? why = WhyNot(claims, import, now, ref next, out ExportClaim? export, out ImportMapping? mapping);
            if (why is null && !known.Add(import.IsService ? (import.Import.LocalSubject, null, null) : (import.Import.LocalSubject, import.Account, import.Subject)))
            {
                why = "another import has the same subject";
            }

            if (why is null)
            {
                ImportLink link = before[i] is { } old && old.Export == export!.Export
                    ? old
                    : new ImportLink(claims.Key, import.Import, export!.Export, mapping!);
                if (ClosesCycle(link, links))
                {
                    isCyclic = true;
                    why = "it would close a cycle of imports";
                }
                else
                {
                    links[i] = link;
                }
            }

            if (why is not null)
            {
                warnings.Add($"Account {claims.Key} imports '{import.Subject}' of {import.Account} without effect: {why}");
            }
        }

        return account with { Links = links, Warnings = warnings, NextChange = next };
    }

    private string? WhyNot(
        AccountClaims importer, ImportClaim import, long now, ref long next, out ExportClaim? export, out ImportMapping? mapping)
    {
        export = null;
        mapping = null;
        if (!accounts.TryGetValue(import.Account, out LinkedAccount? linked))
        {
            return "there is no such account";
        }

        AccountClaims exporter = linked.Claims;
        if (exporter.Jwt.WhyNotNow(now) is { } late)
        {
            return $"the JWT of the other account: {late}";
        }

        if (import.Import is StreamImport { Prefix: { } prefix } && prefix.AsSpan().ContainsAny('*', '>'))
        {
            return "its prefix contains a wildcard";
        }

        mapping = ImportMapping.Create(import.Import.Subject, import.Import.LocalSubject, import.IsService, out string? problem);
        if (mapping is null)
        {
            return problem;
        }

        if (ReservedSubjects.ContainsReply(mapping.Remote) || ReservedSubjects.ContainsReply(mapping.Local))
        {
            return "its subject is reserved for the server";
        }

        export = exporter.Exports.FirstOrDefault(e => e.Covers(import, importer.Key));
        return export is null ? "it is not exported"
            : export.NeedsToken ? WhyNotActivated(importer, exporter, import, export, now, ref next)
            : null;
    }

    private string? WhyNotActivated(
        AccountClaims importer, AccountClaims exporter, ImportClaim import, ExportClaim export, long now, ref long next)
    {
        if (import.Token is null)
        {
            return "it has no activation";
        }

        if (!import.TryReadActivation(verifier, out ActivationClaims? activation, out string? reason))
        {
            return $"its activation is refused: {reason}";
        }

        Jwt jwt = activation.Jwt;
        if (now < jwt.Expires)
        {
            next = Math.Min(next, now < jwt.NotBefore ? jwt.NotBefore : jwt.Expires);
        }

        return !string.Equals(jwt.Subject, importer.Key, StringComparison.Ordinal) ? "its activation is for another account"
            : !string.Equals(activation.Account, exporter.Key, StringComparison.Ordinal) ? "its activation is of another account"
            : !string.Equals(jwt.Issuer, exporter.Key, StringComparison.Ordinal) && exporter.FindKey(jwt.Issuer) is null
                ? "a key that the other account does not have has signed its activation"
            : jwt.WhyNotNow(now) is { } late ? $"its activation: {late}"
            : !activation.Covers(import) ? "its activation is for another subject"
            : export.Revokes(jwt) ? "its activation is revoked"
            : null;
    }

    // Whether a message that has passed this link can come back to it.
    private bool ClosesCycle(ImportLink link, ImportLink?[] ofImporter)
    {
        var seen = new HashSet<ImportLink>(ReferenceEqualityComparer.Instance);
        var ahead = new Stack<ImportLink>();
        ahead.Push(link);
        while (ahead.TryPop(out ImportLink? one))
        {
            if (one.LeadsTo(link))
            {
                return true;
            }

            bool isHome = string.Equals(one.Import.Account, link.Importer, StringComparison.Ordinal);
            ImportLink?[] next = isHome ? ofImporter : accounts.TryGetValue(one.Import.Account, out LinkedAccount? exporter) ? exporter.Links : [];
            foreach (ImportLink? candidate in next)
            {
                if (candidate is not null && one.LeadsTo(candidate) && seen.Add(candidate))
                {
                    ahead.Push(candidate);
                }
            }
        }

        return false;
    }
}
