using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Primitives;

namespace Broker.AspNetCore;

/// <summary>Decides whether a request comes from a page of this host.</summary>
internal static class OwnOrigin
{
    /// <summary>
    /// Whether the request names its origin, and this is the host of the request. A browser sends the origin with every
    /// POST. The scheme does not count, because a proxy may have terminated TLS; the proxy must pass the Host header on.
    /// </summary>
    internal static bool IsOf(HttpRequest request)
    {
        StringValues fetchSite = request.Headers["Sec-Fetch-Site"];
        return request.Headers.Origin is [{ Length: > 0 } origin]
            && Uri.TryCreate(origin, UriKind.Absolute, out Uri? from) && from.Scheme is "http" or "https"
            && Uri.TryCreate($"{from.Scheme}://{request.Host.Value}", UriKind.Absolute, out Uri? own)
            && string.Equals(from.IdnHost, own.IdnHost, StringComparison.OrdinalIgnoreCase) && from.Port == own.Port
            && (fetchSite.Count == 0 || fetchSite is ["same-origin"]);
    }
}
