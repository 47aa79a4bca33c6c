using System.Net;
using System.Net.Http.Headers;
using System.Net.Security;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using System.Text;
using System.Text.Json;
using System.Text.Json.Serialization.Metadata;
using Broker.Cli.Shell;
using Broker.Transport;

namespace Broker.Cli.Top;

/// <summary>Reads the monitoring pages of a server: of this broker or of any nats-server.</summary>
internal sealed class MonitoringReader : IDisposable
{
    /// <summary>The number of connections that are requested. A page of them has less than a megabyte.</summary>
    public const int MostConnections = 1024;

    private const int MostBytes = 16 * 1024 * 1024;
    private const int MostCharacters = 4 * 1024 * 1024;

    private static readonly TimeSpan Timeout = TimeSpan.FromSeconds(5);

    private readonly HttpClient _http;
    private readonly TimeProvider _clock;
    private readonly string _shown;

    /// <param name="server">The address of the monitoring port, with a final slash. It may have a user and a password.</param>
    /// <param name="authorityFile">A PEM file with trusted authorities, or null for those of the system.</param>
    /// <param name="clock">The clock for the time of each reading.</param>
    /// <exception cref="UsageException">The file cannot be used.</exception>
    public MonitoringReader(Uri server, string? authorityFile, TimeProvider clock)
    {
        _clock = clock;
        // Errors must not show the password.
        _shown = server.GetComponents(UriComponents.SchemeAndServer | UriComponents.Path, UriFormat.UriEscaped);
        var handler = new SocketsHttpHandler { AllowAutoRedirect = false };
        if (authorityFile is not null)
        {
            handler.SslOptions = new SslClientAuthenticationOptions { CertificateChainPolicy = Trusting(authorityFile) };
        }

        _http = new HttpClient(handler) { BaseAddress = new Uri(_shown), Timeout = Timeout, MaxResponseContentBufferSize = MostBytes };
        if (server.UserInfo.Length > 0)
        {
            byte[] credentials = Encoding.UTF8.GetBytes(Uri.UnescapeDataString(server.UserInfo));
            _http.DefaultRequestHeaders.Authorization = new AuthenticationHeaderValue("Basic", Convert.ToBase64String(credentials));
        }
    }

    /// <summary>Reads the pages.</summary>
    /// <param name="order">The order of the connections. It decides which ones the server lists if there are too many.</param>
    /// <param name="stop">Cancels the reading.</param>
    /// <exception cref="IOException">The pages cannot be read. The message is a line for the user.</exception>
    public async Task<TopSample> ReadAsync(TopOrder order, CancellationToken stop)
    {
        // The server cannot sort by rate: the connections with the latest activity include those with the highest rates.
        string sort = order switch
        {
            TopOrder.Pending => "pending",
            TopOrder.Subscriptions => "subs",
            _ => "last",
        };
        ServerPage server = await ReadServerAsync(stop);
        string query = $"connz?sort={sort}&limit={MostConnections}&auth=1";
        ConnectionsPage connections = await FindAsync(query, PageSerializer.Default.ConnectionsPage, stop) ?? throw NotFound("connz");
        RoutesPage? routes = await FindAsync("bridgez", PageSerializer.Default.RoutesPage, stop);
        return new TopSample(server, connections, routes, _clock.GetTimestamp());
    }

    /// <summary>Reads the counters of the server.</summary>
    /// <exception cref="IOException">The page cannot be read. The message is a line for the user.</exception>
    public async Task<ServerPage> ReadServerAsync(CancellationToken stop)
        => await FindAsync("varz", PageSerializer.Default.ServerPage, stop) ?? throw NotFound("varz");

    /// <summary>Returns why the server is not healthy, or null if it is.</summary>
    /// <exception cref="IOException">The page cannot be read. The message is a line for the user.</exception>
    public async Task<string?> FindProblemAsync(CancellationToken stop)
    {
        try
        {
            using HttpResponseMessage response = await _http.GetAsync(new Uri("healthz", UriKind.Relative), stop);
            if (response.StatusCode == HttpStatusCode.NotFound)
            {
                throw NotFound("healthz");
            }

            return response.IsSuccessStatusCode ? null : $"{_shown}healthz answers {await response.Content.ReadAsStringAsync(stop)}";
        }
        catch (HttpRequestException e)
        {
            throw Unreadable(e);
        }
        catch (OperationCanceledException e) when (!stop.IsCancellationRequested)
        {
            throw Silent(e);
        }
    }

    /// <summary>Reads a page. Returns null if the server does not have it.</summary>
    /// <param name="page">The page with its parameters, without a leading slash.</param>
    /// <param name="type">The type of the page.</param>
    /// <param name="stop">Cancels the reading.</param>
    /// <exception cref="IOException">The page cannot be read. The message is a line for the user.</exception>
    public async Task<T?> FindAsync<T>(string page, JsonTypeInfo<T> type, CancellationToken stop)
        where T : class
    {
        try
        {
            using HttpResponseMessage response = await _http.GetAsync(new Uri(page, UriKind.Relative), stop);
            if (response.StatusCode == HttpStatusCode.NotFound)
            {
                return null;
            }

            if (!response.IsSuccessStatusCode)
            {
                throw new IOException($"{_shown}{page} answers with the status {(int)response.StatusCode}");
            }

            await using Stream body = await response.Content.ReadAsStreamAsync(stop);
            return await JsonSerializer.DeserializeAsync(body, type, stop)
                ?? throw new JsonException();
        }
        catch (HttpRequestException e)
        {
            throw Unreadable(e);
        }
        catch (JsonException e)
        {
            throw new IOException($"{_shown}{page} is not a page of a NATS server", e);
        }
        catch (OperationCanceledException e) when (!stop.IsCancellationRequested)
        {
            throw Silent(e);
        }
    }

    public void Dispose() => _http.Dispose();

    private static X509ChainPolicy Trusting(string file)
    {
        var policy = new X509ChainPolicy { TrustMode = X509ChainTrustMode.CustomRootTrust, RevocationMode = X509RevocationMode.NoCheck };
        try
        {
            policy.CustomTrustStore.ImportFromPem(BoundedFile.ReadText(file, MostCharacters));
        }
        catch (Exception e) when (e is IOException or InvalidDataException or UnauthorizedAccessException or CryptographicException)
        {
            throw new UsageException($"--tlscacert: the file {file} cannot be used: {e.Message}");
        }

        return policy.CustomTrustStore.Count > 0
            ? policy
            : throw new UsageException($"--tlscacert: the file {file} has no certificate in PEM form");
    }

    private IOException NotFound(string page)
        => new($"{_shown}{page} does not exist; the address must be that of a monitoring port of a NATS server");

    private IOException Unreadable(HttpRequestException e) => new($"{_shown} cannot be read: {e.Message}", e);

    private IOException Silent(OperationCanceledException e) => new($"{_shown} does not answer within {Timeout.TotalSeconds:N0} s", e);
}
