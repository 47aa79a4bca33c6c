using System.Net;
using Broker.Server;
using Broker.Transport;
using Microsoft.AspNetCore.Builder;

namespace Broker.AspNetCore;

/// <summary>The monitoring pages of one server at an HTTP or HTTPS address of their own.</summary>
/// <remarks>
/// It does not own the server, logs nothing and leaves the process's signals alone. In a program that has a web host already use
/// <see cref="MonitoringEndpoints.MapBrokerMonitoring"/> instead.
/// </remarks>
public sealed class MonitoringHost : IAsyncDisposable
{
    private readonly KestrelHost _host;

    private MonitoringHost(KestrelHost host, Uri address)
    {
        _host = host;
        Address = address;
    }

    /// <summary>The address that was really taken: with port 0 this tells which.</summary>
    public EndPoint EndPoint => _host.EndPoint;

    /// <summary>The address of the index page. An address that stands for all of the machine's is told as such.</summary>
    public Uri Address { get; }

    /// <summary>Starts it. When the task is done, the pages can be had.</summary>
    /// <exception cref="ListenException">The address cannot be had.</exception>
    /// <exception cref="OperationCanceledException"><paramref name="cancellationToken"/> was cancelled.</exception>
    public static async Task<MonitoringHost> StartAsync(
        BrokerServer server, EndPoint endPoint, MonitoringOptions? options = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(server);
        options = (options ?? new MonitoringOptions()).Copy();
        return await StartAsync(
            server.Loops.ConnectionBudget, endPoint, options, application => application.MapMonitoring(server, options), cancellationToken).ConfigureAwait(false);
    }

    /// <summary>
    /// The same without a server: <see cref="MonitoringOptions.Pages"/>, and <c>/metrics</c> with what they add to it. Connections count within
    /// what <paramref name="loops"/> may have open.
    /// </summary>
    /// <exception cref="ListenException">The address cannot be had.</exception>
    /// <exception cref="OperationCanceledException"><paramref name="cancellationToken"/> was cancelled.</exception>
    public static async Task<MonitoringHost> StartAsync(
        EventLoopGroup loops, EndPoint endPoint, MonitoringOptions options, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(loops);
        ArgumentNullException.ThrowIfNull(options);
        options = options.Copy();
        return await StartAsync(loops.ConnectionBudget, endPoint, options, application => application.MapPages(options), cancellationToken).ConfigureAwait(false);
    }

    private static async Task<MonitoringHost> StartAsync(
        ConnectionBudget budget, EndPoint endPoint, MonitoringOptions options, Action<WebApplication> map, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(endPoint);
        options.EndPoint = endPoint;
        KestrelHost host = await KestrelHost.StartAsync(
            endPoint,
            budget,
            options.Authentication(),
            limits =>
            {
                limits.MaxConcurrentConnections = options.MaxConnections;
                // Nothing is ever posted.
                limits.MaxRequestBodySize = 0;
            },
            map,
            cancellationToken).ConfigureAwait(false);
        options.EndPoint = host.EndPoint;
        string scheme = options.IsSecure ? "https" : "http";
        string authority = host.EndPoint is IPEndPoint ip ? ip.ToString() : "localhost";
        return new MonitoringHost(host, new Uri($"{scheme}://{authority}{options.BasePath}/"));
    }

    /// <summary>Stops it. Requests that are being answered have a second for the rest.</summary>
    public ValueTask DisposeAsync() => _host.DisposeAsync();
}
