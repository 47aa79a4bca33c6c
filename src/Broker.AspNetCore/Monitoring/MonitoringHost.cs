using System.Net;
using Broker.Server;
using Broker.Transport;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;

namespace Broker.AspNetCore;

/// <summary>Serves the monitoring pages of one server at an HTTP or HTTPS address of their own.</summary>
/// <remarks>
/// The host does not own the server, logs nothing and does not handle the process's signals. In a program that has a
/// web host, use <see cref="MonitoringEndpoints.MapBrokerMonitoring"/> instead.
/// </remarks>
public sealed class MonitoringHost : IAsyncDisposable
{
    // A program that reads the pages needs less time than this to send the headers of a request.
    private static readonly TimeSpan HeadersTimeout = TimeSpan.FromSeconds(5);

    // A program that requests a page at least once in this time keeps its connection.
    private static readonly TimeSpan IdleTimeout = TimeSpan.FromSeconds(30);

    private const int MaxActionBytes = 4096;

    private readonly KestrelHost _host;

    private MonitoringHost(KestrelHost host, Uri address)
    {
        _host = host;
        Address = address;
    }

    /// <summary>The bound address. For port 0 it contains the port that the system chose.</summary>
    public EndPoint EndPoint => _host.EndPoint;

    /// <summary>
    /// The URL of the index page. If the host listens on all addresses, the URL contains the wildcard address.
    /// </summary>
    public Uri Address { get; }

    /// <summary>Starts the host. When the task completes, the host serves the pages.</summary>
    /// <exception cref="ListenException">The address cannot be bound.</exception>
    /// <exception cref="OperationCanceledException"><paramref name="cancellationToken"/> was canceled.</exception>
    public static async Task<MonitoringHost> StartAsync(
        BrokerServer server, EndPoint endPoint, MonitoringOptions? options = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(server);
        options = (options ?? new MonitoringOptions()).CopyFor("");
        return await StartAsync(
            server.Loops.ConnectionBudget,
            endPoint,
            options,
            new HttpPlaces(options.MaxConnections, options.BasePath + MonitoringEndpoints.ProbePath),
            application => application.UseCleanPaths().MapMonitoring(server, options),
            cancellationToken).ConfigureAwait(false);
    }

    /// <summary>
    /// Starts the host without a server. The host serves <see cref="MonitoringOptions.Pages"/>, and the metrics of
    /// these pages at <c>/metrics</c>. Its connections count against the connection budget of <paramref name="loops"/>.
    /// </summary>
    /// <exception cref="ListenException">The address cannot be bound.</exception>
    /// <exception cref="OperationCanceledException"><paramref name="cancellationToken"/> was canceled.</exception>
    public static async Task<MonitoringHost> StartAsync(
        EventLoopGroup loops, EndPoint endPoint, MonitoringOptions options, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(loops);
        ArgumentNullException.ThrowIfNull(options);
        options = options.CopyFor("");
        return await StartAsync(
            loops.ConnectionBudget,
            endPoint,
            options,
            new HttpPlaces(options.MaxConnections),
            application => application.UseCleanPaths().MapPages(options),
            cancellationToken).ConfigureAwait(false);
    }

    private static async Task<MonitoringHost> StartAsync(
        ConnectionBudget budget,
        EndPoint endPoint,
        MonitoringOptions options,
        HttpPlaces places,
        Action<WebApplication> map,
        CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(endPoint);
        options.EndPoint = endPoint;
        KestrelHost host = await KestrelHost.StartAsync(
            endPoint,
            budget,
            places,
            options.Authentication(),
            limits =>
            {
                limits.RequestHeadersTimeout = HeadersTimeout;
                limits.KeepAliveTimeout = IdleTimeout;
                // Only the actions of an administrator have a request body.
                limits.MaxRequestBodySize = options.Administrator is null ? 0 : MaxActionBytes;
            },
            options.Administrator is null ? null : AdministratorServices.AddToHost,
            map,
            cancellationToken).ConfigureAwait(false);
        options.EndPoint = host.EndPoint;
        string scheme = options.IsSecure ? "https" : "http";
        string authority = host.EndPoint is IPEndPoint ip ? ip.ToString() : "localhost";
        return new MonitoringHost(host, new Uri($"{scheme}://{authority}{options.BasePath}/"));
    }

    /// <summary>Stops the host. Running requests have one second to complete.</summary>
    public ValueTask DisposeAsync() => _host.DisposeAsync();
}
