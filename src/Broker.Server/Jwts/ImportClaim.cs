using System.Diagnostics.CodeAnalysis;
using System.Text;

namespace Broker.Server;

/// <summary>An import in the claims of an account.</summary>
internal sealed class ImportClaim
{
    private ActivationClaims? _activation;
    private string? _problem;

    /// <exception cref="JwtException">A claim is wrong.</exception>
    internal ImportClaim(ClaimObject claims)
    {
        IsService = claims.Text("type") switch
        {
            "stream" => false,
            "service" => true,
            _ => throw claims.Wrong("type", "must be \"stream\" or \"service\""),
        };
        Account = claims.Text("account") ?? "";
        if (!PublicKey.IsValid(Account, KeyKind.Account))
        {
            throw claims.Wrong("account", "is not the key of an account");
        }

        string subject = Filter(claims, "subject") ?? throw claims.Wrong("subject", "is missing");
        string? local = Filter(claims, "local_subject");
        string? to = Filter(claims, "to");
        Token = claims.Text("token") is { Length: > 0 } token ? token : null;
        if (IsService)
        {
            // Without local_subject, "to" is the subject of the exporter and "subject" that of the importer.
            Subject = local is null && to is not null ? to : subject;
            Import = new ServiceImport(Account, Subject)
            {
                To = local ?? (to is null ? null : subject),
                Share = claims.Flag("share"),
            };
        }
        else
        {
            // Without local_subject, "to" is the prefix of the importer's subjects.
            Subject = subject;
            Import = new StreamImport(Account, subject) { To = local, Prefix = to?.TrimEnd('.') };
        }
    }

    internal bool IsService { get; }

    /// <summary>The key of the exporter.</summary>
    internal string Account { get; }

    /// <summary>The subject in the account of the exporter.</summary>
    internal string Subject { get; }

    /// <summary>The activation; null for none.</summary>
    internal string? Token { get; }

    internal AccountImport Import { get; }

    /// <summary>Reads and verifies the activation, the first time only. Called by one thread at a time.</summary>
    internal bool TryReadActivation(
        ISignatureVerifier verifier, [NotNullWhen(true)] out ActivationClaims? activation, [NotNullWhen(false)] out string? reason)
    {
        if (_activation is null && _problem is null && Jwt.TryRead(Token!, JwtKind.Activation, verifier, out Jwt? jwt, out _problem))
        {
            try
            {
                _activation = new ActivationClaims(jwt);
            }
            catch (JwtException e)
            {
                _problem = e.Message;
            }
        }

        activation = _activation;
        reason = _activation is null ? _problem! : null;
        return _activation is not null;
    }

    private static string? Filter(ClaimObject claims, string name)
        => claims.Text(name) is not { Length: > 0 } text ? null
            : name is not "subject" || Protocol.Subject.IsValidFilter(Encoding.UTF8.GetBytes(text)) ? text
            : throw claims.Wrong(name, "is not a valid subject");
}
