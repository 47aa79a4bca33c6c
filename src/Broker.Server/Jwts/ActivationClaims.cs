using System.Text;

namespace Broker.Server;

/// <summary>The claims of an activation: the permission of an account for another one to import a subject.</summary>
internal sealed class ActivationClaims
{
    private readonly byte[] _subject;
    private readonly bool _isService;

    /// <exception cref="JwtException">A claim is wrong.</exception>
    internal ActivationClaims(Jwt jwt)
    {
        Jwt = jwt;
        _subject = Encoding.UTF8.GetBytes(jwt.Nats.Text("subject") ?? "");
        _isService = jwt.Nats.Text("kind") switch
        {
            "stream" => false,
            "service" => true,
            _ => throw jwt.Nats.Wrong("kind", "must be \"stream\" or \"service\""),
        };
        Account = jwt.Nats.Text("issuer_account") is { Length: > 0 } account ? account : jwt.Issuer;
        jwt.Forget();
    }

    internal Jwt Jwt { get; }

    /// <summary>The key of the exporter.</summary>
    internal string Account { get; }

    /// <summary>Whether the activation permits an import.</summary>
    internal bool Covers(ImportClaim import)
        => _isService == import.IsService && ImportLink.Covers(_subject, Encoding.UTF8.GetBytes(import.Subject));
}
