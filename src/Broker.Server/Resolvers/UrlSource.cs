using System.Net;
using Broker.Transport;

namespace Broker.Server;

/// <summary>Fetches JWTs of accounts from a web server.</summary>
internal sealed class UrlSource : IDisposable
{
    private readonly HttpClient _client;
    private readonly Uri _url;

    internal UrlSource(UrlResolver options)
    {
        _url = options.Url;
        var handler = new SocketsHttpHandler { AllowAutoRedirect = false, PooledConnectionLifetime = TimeSpan.FromMinutes(5) };
        if (options.Tls is { } tls)
        {
            handler.SslOptions = new ClientTlsContext(tls).CreateAuthentication(_url.Host);
        }

        _client = new HttpClient(handler) { Timeout = Timeout.InfiniteTimeSpan, MaxResponseContentBufferSize = Jwt.MaxLength };
    }

    /// <summary>Fetches the JWT of an account; null if the web server does not have it. Thread-safe.</summary>
    internal async Task<string?> FetchAsync(string account, CancellationToken cancellationToken)
    {
        using HttpResponseMessage answer = await _client.GetAsync(new Uri(_url.AbsoluteUri + account), cancellationToken).ConfigureAwait(false);
        return answer.StatusCode == HttpStatusCode.NotFound ? null
            : answer.StatusCode != HttpStatusCode.OK ? throw new HttpRequestException($"the web server answers {(int)answer.StatusCode}")
            : (await answer.Content.ReadAsStringAsync(cancellationToken).ConfigureAwait(false)).Trim() is { Length: > 0 } text ? text
            : null;
    }

    public void Dispose() => _client.Dispose();
}
