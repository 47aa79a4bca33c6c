using System.Text.Json.Nodes;
using Broker.Cryptography;

namespace Broker.Cli.Auth;

/// <summary>Activations: JWTs by which an account permits another one to import a private export.</summary>
internal static class Activation
{
    private const string Kind = "activation";
    private const string Everybody = "*";

    /// <summary>Finds the export of an account that contains a subject.</summary>
    /// <param name="exporter">The account.</param>
    /// <param name="subject">The subject.</param>
    /// <param name="type">The type; null for any.</param>
    /// <exception cref="AuthException">The account does not export the subject.</exception>
    public static JsonObject FindExport(Token exporter, string subject, string? type)
    {
        JsonObject[] all = [.. Shares.Of(exporter, Shares.Exports)];
        // As in nats-server, an export of exactly this subject counts before one with wildcards.
        JsonObject[] found =
        [
            .. all.Where(e => (type is null || Token.TextOf(e, "type") == type) && Shares.Covers(Shares.SubjectOf(e), subject)).OrderBy(e => Shares.SubjectOf(e) != subject),
        ];
        return found switch
        {
            [] => throw new AuthException(all.Length == 0
                ? $"account {exporter.Name} exports nothing; 'broker auth add export' changes it"
                : $"account {exporter.Name} does not export {subject}; it exports {string.Join(", ", all.Select(Shares.Describe))}"),
            [var first, ..] when Array.TrueForAll(found, e => Shares.IsService(e) == Shares.IsService(first)) => first,
            _ => throw new AuthException($"account {exporter.Name} exports {subject} as a stream and as a service: --type names one"),
        };
    }

    /// <summary>Signs an activation. It is later than a revocation of earlier ones.</summary>
    /// <exception cref="AuthException">The store has no seed of the exporter.</exception>
    public static Token Sign(AuthRun run, Token exporter, JsonObject export, string subject, string importer, long? expires)
    {
        (NkeyPair signer, _) = run.UserSigner(exporter, null);
        JsonObject claims = Token.NewClaims(Kind, importer, subject);
        JsonObject nats = Token.Inner(claims, "nats");
        nats["subject"] = subject;
        nats["kind"] = Token.TextOf(export, "type");
        if (signer.PublicKey != exporter.Subject)
        {
            nats["issuer_account"] = exporter.Subject;
        }

        if (expires is { } end)
        {
            claims["exp"] = end;
        }

        long revoked = RevokedUntil(export, importer) ?? 0;
        return Token.Sign(claims, signer, Math.Max(AuthRun.Now, revoked + 1));
    }

    /// <summary>Why an account cannot use an activation for an import; null if it can.</summary>
    public static string? WhyNot(Token activation, JsonObject import, string importer)
        => activation.Kind != Kind ? $"it is the JWT of {(activation.Kind.Length > 0 ? $"type {activation.Kind}" : "no type")}"
            : activation.Subject != importer ? $"it is for account {activation.Subject}"
            : activation.Account != Token.TextOf(import, "account") ? $"it is of account {activation.Account}"
            : Token.TextOf(activation.Nats, "kind") != Token.TextOf(import, "type") ? $"it is for a {Token.TextOf(activation.Nats, "kind")}"
            : !Shares.Covers(Token.TextOf(activation.Nats, "subject") ?? "", Shares.SubjectOf(import)) ? $"it is for the subject {Token.TextOf(activation.Nats, "subject")}"
            : activation.Expires <= DateTimeOffset.UtcNow ? "it has expired"
            : null;

    /// <summary>Revokes the activations of an account up to now.</summary>
    public static void Revoke(JsonObject export, string importer)
    {
        JsonObject revocations = Token.Inner(export, "revocations");
        // A second revocation in the same second also revokes an activation that was made between both.
        revocations[importer] = Math.Max(AuthRun.Now, (RevokedUntil(export, importer) ?? -1) + 1);
    }

    public static string Importer(AuthRun run, string name, bool mayBeAll) => mayBeAll && name == Everybody ? name : run.KeyOfAccount(name);

    private static long? RevokedUntil(JsonObject export, string importer)
        => export["revocations"] is JsonObject all
            ? new[] { importer, Everybody }.Where(all.ContainsKey).Select(key => (long?)Token.NumberOf(all, key)).Max()
            : null;
}
