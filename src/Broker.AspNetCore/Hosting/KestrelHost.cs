using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using Broker.Transport;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.AspNetCore.Server.Kestrel.Https;
using Microsoft.AspNetCore.Server.Kestrel.Transport.Sockets;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace Broker.AspNetCore;

/// <summary>
/// Kestrel at one address. It has no configuration, no logging, and no handlers for the process's signals.
/// </summary>
internal sealed class KestrelHost : IAsyncDisposable
{
    private const int ReadBufferSize = 64 * 1024;

    private static readonly TimeSpan Grace = TimeSpan.FromSeconds(1);

    private readonly WebApplication _application;
    private readonly EndPoint _asked;

    private KestrelHost(WebApplication application, EndPoint asked)
    {
        _application = application;
        _asked = asked;
    }

    /// <summary>The bound address, with the port that the system chose.</summary>
    internal EndPoint EndPoint
    {
        get
        {
            IServerAddressesFeature? addresses = _application.Services.GetRequiredService<IServer>().Features.Get<IServerAddressesFeature>();
            return _asked is IPEndPoint ip && addresses?.Addresses.FirstOrDefault() is { } address
                ? new IPEndPoint(ip.Address, BindingAddress.Parse(address).Port)
                : _asked;
        }
    }

    /// <summary>
    /// Starts Kestrel. <paramref name="places"/> limits its connections. With <paramref name="tls"/>, clients must
    /// complete the TLS handshake within the time limit for request headers.
    /// </summary>
    /// <exception cref="ListenException">The address cannot be bound.</exception>
    internal static async Task<KestrelHost> StartAsync(
        EndPoint endPoint,
        ConnectionBudget budget,
        HttpPlaces places,
        SslServerAuthenticationOptions? tls,
        Action<KestrelServerLimits> limit,
        Action<IServiceCollection>? addServices,
        Action<WebApplication> map,
        CancellationToken cancellationToken)
    {
        WebApplicationBuilder builder = WebApplication.CreateEmptyBuilder(new WebApplicationOptions());
        builder.WebHost.UseKestrelCore().ConfigureKestrel(kestrel =>
        {
            kestrel.AddServerHeader = false;
            kestrel.Limits.MaxRequestBufferSize = ReadBufferSize;
            limit(kestrel.Limits);
            kestrel.Listen(endPoint, listen =>
            {
                listen.Protocols = HttpProtocols.Http1;
                listen.Use(next => connection => places.ServeAsync(connection, next));
                if (tls is not null)
                {
                    listen.UseHttps(new TlsHandshakeCallbackOptions
                    {
                        OnConnection = _ => ValueTask.FromResult(tls),
                        HandshakeTimeout = kestrel.Limits.RequestHeadersTimeout,
                    });
                }
            });
        });
        // Kestrel uses the transport that was registered last.
        builder.Services.AddSingleton<IConnectionListenerFactory>(services => ActivatorUtilities.CreateInstance<BudgetedTransport>(services, budget));
        // While the server does not read a connection, the transport buffers at most this number of bytes for it.
        builder.Services.Configure<SocketTransportOptions>(static o => o.MaxReadBufferSize = ReadBufferSize);
        builder.Services.AddRoutingCore();
        // This lifetime replaces the default lifetime, which handles SIGTERM and SIGINT.
        builder.Services.AddSingleton<IHostLifetime, EmbeddedLifetime>();
        builder.Services.Configure<HostOptions>(static o => o.ShutdownTimeout = Grace);
        addServices?.Invoke(builder.Services);
        WebApplication application = builder.Build();
        try
        {
            application.Use(places.RunAsync);
            map(application);
            await application.StartAsync(cancellationToken).ConfigureAwait(false);
            return new KestrelHost(application, endPoint);
        }
        catch (Exception e)
        {
            await application.DisposeAsync().ConfigureAwait(false);
            if (ReasonOf(e) is { } reason)
            {
                throw new ListenException(endPoint, reason);
            }

            throw;
        }
    }

    public async ValueTask DisposeAsync()
    {
        try
        {
            await _application.StopAsync(CancellationToken.None).ConfigureAwait(false);
        }
        finally
        {
            await _application.DisposeAsync().ConfigureAwait(false);
        }
    }

    // Kestrel wraps the socket's exception in other exceptions, in a different way for each error.
    private static SocketException? ReasonOf(Exception e)
    {
        for (Exception? at = e; at is not null; at = at.InnerException)
        {
            if (at is SocketException reason)
            {
                return reason;
            }

            if (at is Microsoft.AspNetCore.Connections.AddressInUseException { InnerException: null })
            {
                return new SocketException((int)SocketError.AddressAlreadyInUse);
            }
        }

        return null;
    }
}
