using System.Text;
using Broker.Protocol;

namespace Broker.Server;

/// <summary>An export in the claims of an account.</summary>
internal sealed class ExportClaim
{
    private const string Stream = "stream";

    private readonly Revocations _revocations;
    private readonly long _accountPosition;

    /// <exception cref="JwtException">A claim is wrong.</exception>
    internal ExportClaim(ClaimObject claims)
    {
        string subject = claims.Text("subject") ?? "";
        if (!Subject.IsValidFilter(Encoding.UTF8.GetBytes(subject)))
        {
            throw claims.Wrong("subject", "is not a valid subject");
        }

        IsService = claims.Text("type") switch
        {
            Stream => false,
            "service" => true,
            _ => throw claims.Wrong("type", "must be \"stream\" or \"service\""),
        };
        NeedsToken = claims.Flag("token_req");
        _revocations = new Revocations(claims.Object("revocations"));
        _accountPosition = claims.Whole("account_token_position");
        if (_accountPosition != 0 && !HasWildcardAt(subject, _accountPosition))
        {
            throw claims.Wrong("account_token_position", "is not the position of a * in the subject");
        }

        // No account may import an export that needs activations by its name alone.
        IReadOnlyList<string>? to = NeedsToken ? [] : null;
        Export = IsService ? Service(claims, subject, to) : new StreamExport(subject) { Accounts = to };
    }

    internal bool IsService { get; }

    /// <summary>Whether an import needs an activation.</summary>
    internal bool NeedsToken { get; }

    internal AccountExport Export { get; }

    /// <summary>Whether this export covers the subject of an import, at whose position the importer's key must be.</summary>
    internal bool Covers(ImportClaim import, string importer)
        => IsService == import.IsService
            && ImportLink.Covers(Encoding.UTF8.GetBytes(Export.Subject), Encoding.UTF8.GetBytes(import.Subject))
            && (_accountPosition == 0
                || string.Equals(import.Subject.Split('.')[_accountPosition - 1], importer, StringComparison.Ordinal));

    /// <summary>Whether the exporter has revoked this activation.</summary>
    internal bool Revokes(Jwt activation) => _revocations.Contain(activation.Subject, activation.IssuedAt);

    private static bool HasWildcardAt(string subject, long position)
        => subject.Split('.') is var tokens && position > 0 && position <= tokens.Length && tokens[position - 1] is "*";

    private static ServiceExport Service(ClaimObject claims, string subject, IReadOnlyList<string>? to)
    {
        long nanoseconds = claims.Whole("response_threshold");
        return new ServiceExport(subject)
        {
            Accounts = to,
            Response = claims.Text("response_type") switch
            {
                null or "" or "Singleton" => ServiceResponse.Once,
                "Stream" => ServiceResponse.Stream,
                "Chunked" => ServiceResponse.Chunked,
                _ => throw claims.Wrong("response_type", "must be \"Singleton\", \"Stream\" or \"Chunked\""),
            },
            ResponseTimeout = nanoseconds == 0 ? new ServiceExport(subject).ResponseTimeout : ClaimObject.SpanOf(nanoseconds),
        };
    }
}
