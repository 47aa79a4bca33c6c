namespace Broker.Server.Tests.Jwts;

/// <summary>An import with random claims.</summary>
internal sealed class SharedImport
{
    /// <summary>The time of a revocation of one account.</summary>
    internal const long Middle = 1_760_000_000;

    private readonly SharedAccount _importer;
    private readonly SharedActivation? _activation;
    private readonly string _renamed;

    // How the importer names the subject: as the exporter, by local_subject, or by "to".
    private readonly int _manner;

    /// <param name="random">The source of the claims.</param>
    /// <param name="importer">The account that imports.</param>
    /// <param name="from">The account that exports.</param>
    /// <param name="export">An export that the import is for; it need not be one of the exporter's.</param>
    /// <param name="isGentle">Whether claims are left out for which nats-server refuses all users of the importer.</param>
    internal SharedImport(Random random, SharedAccount importer, SharedAccount from, SharedExport export, bool isGentle)
    {
        (_importer, From, Root) = (importer, from, export.Root);
        IsService = random.Next(12) == 0 ? !export.IsService : export.IsService;
        Subject = SubjectOf(random, importer, export);
        _renamed = "l" + Root;
        _manner = random.Next(3);
        _activation = random.Next(6) == 0 ? null : new SharedActivation(random, this, importer, isGentle);
    }

    internal SharedAccount From { get; }

    internal string Root { get; }

    internal bool IsService { get; }

    /// <summary>The subject in the account of the exporter.</summary>
    internal string Subject { get; }

    /// <summary>The subject by which the importer knows one of the exporter.</summary>
    internal string LocalOf(string subject) => _manner switch
    {
        0 => subject,
        1 => _renamed + subject[Root.Length..],
        _ => IsService ? _renamed + subject[Root.Length..] : $"{_renamed}.{subject}",
    };

    internal string ToJson()
    {
        string names = _manner switch
        {
            0 => $"\"subject\":\"{Subject}\"",
            1 => $"\"subject\":\"{Subject}\",\"local_subject\":\"{LocalOf(Subject)}\"",
            _ => IsService ? $"\"subject\":\"{LocalOf(Subject)}\",\"to\":\"{Subject}\"" : $"\"subject\":\"{Subject}\",\"to\":\"{_renamed}\"",
        };
        return $"{{\"name\":\"{Root}\",{names},\"account\":\"{From.Key}\",\"type\":\"{(IsService ? "service" : "stream")}\""
            + (_activation is null ? "" : $",\"token\":\"{_activation.Jwt()}\"") + "}";
    }

    /// <summary>The export that the import is for; null for none.</summary>
    internal SharedExport? Export => From.Claims?.Exports.FirstOrDefault(e => e.Root == Root && ChainTerms.Covers(e.Subject, Subject));

    /// <summary>The claims that matter for the import, each with whether it lets messages pass.</summary>
    internal IEnumerable<(string Claim, bool Lets)> Decide()
    {
        SharedExport? export = Export;
        yield return ("exports", export is not null);
        if (export is null)
        {
            yield break;
        }

        yield return (IsService ? "exports of services" : "exports of streams", export.IsService == IsService);
        if (export.HasPosition)
        {
            yield return ("account_token_position", Subject.Split('.')[1] == _importer.Key.Public);
        }

        if (export.NeedsToken)
        {
            yield return ("token_req", _activation is not null);
            foreach ((string claim, bool lets) in _activation?.Decide(this, export) ?? [])
            {
                yield return (claim, lets);
            }
        }
    }

    // Mostly the subject of the export or a part of it.
    private static string SubjectOf(Random random, SharedAccount importer, SharedExport export)
    {
        string[] tokens = export.Subject.Split('.');
        if (export.HasPosition && random.Next(10) > 0)
        {
            tokens[1] = random.Next(4) == 0 ? importer.Stranger.Public : importer.Key.Public;
        }

        return random.Next(8) switch
        {
            0 => export.Root + ".>",
            < 3 => Concrete(random, string.Join('.', tokens)),
            _ => string.Join('.', tokens),
        };
    }

    /// <summary>A random subject without wildcards that a pattern covers.</summary>
    internal static string Concrete(Random random, string pattern)
        => string.Join('.', pattern.Split('.').Select(token => token is "*" ? ChainTerms.Subject(random, false).Split('.')[0] : token is ">" ? ChainTerms.Subject(random, false) : token));
}
