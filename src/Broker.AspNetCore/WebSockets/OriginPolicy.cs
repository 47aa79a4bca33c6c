using Microsoft.AspNetCore.Http;

namespace Broker.AspNetCore;

/// <summary>
/// Which pages a browser may connect from (RFC 6455, section 10.2): without it any page that somebody visits could speak to a
/// server that this somebody can reach.
/// </summary>
/// <remarks>
/// The same origin is one of the same host and port as those that the browser asked for, as in nats-server. The scheme is not
/// compared: behind a proxy that ends TLS the browser's is not known here. That Host is the one that the browser sent is the
/// proxy's duty, and a Host says nothing of who resolved its name: against a name that is made to point here helps a list.
/// </remarks>
internal sealed class OriginPolicy
{
    private readonly bool _sameOrigin;
    private readonly HashSet<Origin> _allowed = [];

    /// <exception cref="ArgumentException">An allowed origin is none.</exception>
    internal OriginPolicy(NatsWebSocketOptions options)
    {
        _sameOrigin = options.SameOrigin;
        foreach (string text in options.AllowedOrigins)
        {
            _allowed.Add(Origin.TryParse(text) ?? throw new ArgumentException($"\"{text}\" is no origin: scheme://host[:port] is one.", nameof(options)));
        }
    }

    internal bool Allows(HttpRequest request)
    {
        if (request.Headers.Origin is not [{ Length: > 0 } text, ..] origins)
        {
            return true;
        }

        if (!_sameOrigin && _allowed.Count == 0)
        {
            return true;
        }

        return origins.Count == 1
            && Origin.TryParse(text) is { } origin
            && (!_sameOrigin || IsOwn(origin, request))
            && (_allowed.Count == 0 || _allowed.Contains(origin));
    }

    // A Host without a port means the usual one of the browser's scheme: with TLS of our own that is known, else the origin tells.
    private static bool IsOwn(Origin origin, HttpRequest request)
        => Origin.TryParse($"{(request.IsHttps ? request.Scheme : origin.Scheme)}://{request.Host.Value}") is { } own
            && own with { Scheme = origin.Scheme } == origin;

    /// <summary>Scheme, host and port; those that are left out have their defaults, and case does not matter.</summary>
    private sealed record Origin(string Scheme, string Host, int Port)
    {
        internal static Origin? TryParse(string text)
            => Uri.TryCreate(text, UriKind.Absolute, out Uri? uri) && uri.Scheme is "http" or "https" && uri.Host.Length != 0
                ? new Origin(uri.Scheme, uri.IdnHost, uri.Port)
                : null;
    }
}
