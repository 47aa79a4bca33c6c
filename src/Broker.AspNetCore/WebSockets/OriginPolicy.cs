using Microsoft.AspNetCore.Http;

namespace Broker.AspNetCore;

/// <summary>
/// Decides from which pages a browser may connect (RFC 6455, section 10.2). Without this check, any page that a user
/// visits could connect to a server that this user can reach.
/// </summary>
/// <remarks>
/// As in nats-server, the same-origin check compares host and port. It ignores the scheme, which the server cannot know
/// behind a proxy that terminates TLS. A proxy must pass the browser's Host header on unchanged. If an attacker's host
/// name resolves to this server (DNS rebinding), only the list of allowed origins protects against it.
/// </remarks>
internal sealed class OriginPolicy
{
    private readonly bool _sameOrigin;
    private readonly HashSet<Origin> _allowed = [];

    /// <exception cref="ArgumentException">An allowed origin is not valid.</exception>
    internal OriginPolicy(NatsWebSocketOptions options)
    {
        _sameOrigin = options.SameOrigin;
        foreach (string text in options.AllowedOrigins)
        {
            _allowed.Add(Origin.ParseOrNull(text) ?? throw new ArgumentException($"\"{text}\" is not a valid origin: it must be scheme://host[:port].", nameof(options)));
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
            && Origin.ParseOrNull(text) is { } origin
            && (!_sameOrigin || IsOwn(origin, request))
            && (_allowed.Count == 0 || _allowed.Contains(origin));
    }

    // A Host header without a port means the default port of the scheme that the browser uses. With TLS in this
    // process, the request has this scheme. Otherwise the origin has it, because a proxy may have terminated TLS.
    private static bool IsOwn(Origin origin, HttpRequest request)
        => Origin.ParseOrNull($"{(request.IsHttps ? request.Scheme : origin.Scheme)}://{request.Host.Value}") is { } own
            && own with { Scheme = origin.Scheme } == origin;

    /// <summary>
    /// Scheme, host and port of an origin. A missing port gets the scheme's default. Case does not matter.
    /// </summary>
    private sealed record Origin(string Scheme, string Host, int Port)
    {
        internal static Origin? ParseOrNull(string text)
            => Uri.TryCreate(text, UriKind.Absolute, out Uri? uri) && uri.Scheme is "http" or "https" && uri.Host.Length != 0
                ? new Origin(uri.Scheme, uri.IdnHost, uri.Port)
                : null;
    }
}
