using System.Diagnostics.CodeAnalysis;
using System.Diagnostics.Metrics;
using Broker.Bridge;
using Broker.Client;
using Broker.Hosting;
using Broker.Server;
using Broker.Transport;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Adds a server, clients and a bridge to the services of a host.</summary>
/// <remarks>
/// <para>
/// Each is a singleton that starts when it is first asked for, or with the host: before any hosted service does, the server first, then
/// clients, then the bridge. A start that fails fails the host. When the host stops they go on until all hosted services have
/// stopped, and then stop the other way round, delivering what is queued for as long as
/// <c>HostOptions.ShutdownTimeout</c> allows.
/// </para>
/// <para>All of a host share one <see cref="EventLoopGroup"/>; one that was registered before is used.</para>
/// </remarks>
public static class BrokerServices
{
    /// <summary>Adds a server: <see cref="BrokerServer"/>, set up by the section <c>Broker</c> of the configuration.</summary>
    /// <param name="services">The services of a host.</param>
    /// <param name="configure">What code says over the configuration.</param>
    /// <returns>The services, for more.</returns>
    public static IServiceCollection AddBroker(this IServiceCollection services, Action<BrokerSettings>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(services);
        OptionsBuilder<BrokerSettings> settings = services.AddOptions<BrokerSettings>()
            .BindConfiguration(BrokerSettings.Section, static binder => binder.ErrorOnUnknownConfiguration = true);
        if (configure is not null)
        {
            settings.Configure(configure);
        }

        AddCommon(services);
        services.TryAddSingleton<IValidateOptions<BrokerSettings>, ServerSetup>();
        services.TryAddSingleton<SettingsReload>();
        services.TryAddSingleton(ServerStart.Start);
        services.AddSingleton(new HostedPart(HostedPartKind.Server, static provider => provider.GetRequiredService<BrokerServer>()));
        return services;
    }

    /// <summary>Adds a client: <see cref="BrokerConnection"/>, set up by the section <c>BrokerClient</c> of the configuration.</summary>
    /// <param name="services">The services of a host.</param>
    /// <param name="configure">What code says over the configuration.</param>
    /// <returns>The services, for more.</returns>
    public static IServiceCollection AddBrokerClient(this IServiceCollection services, Action<BrokerClientSettings>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(services);
        AddClientSettings(services, Microsoft.Extensions.Options.Options.DefaultName, BrokerClientSettings.Section, configure);
        services.TryAddSingleton(static provider => ClientStart.Start(provider, Microsoft.Extensions.Options.Options.DefaultName));
        services.AddSingleton(new HostedPart(HostedPartKind.Client, static provider => provider.GetRequiredService<BrokerConnection>()));
        return services;
    }

    /// <summary>
    /// Adds a client with a name, for <c>[FromKeyedServices("name")] BrokerConnection</c>, set up by the section <c>BrokerClients:name</c>
    /// of the configuration.
    /// </summary>
    /// <param name="services">The services of a host.</param>
    /// <param name="name">The key of the service.</param>
    /// <param name="configure">What code says over the configuration.</param>
    /// <returns>The services, for more.</returns>
    public static IServiceCollection AddBrokerClient(this IServiceCollection services, string name, Action<BrokerClientSettings>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(services);
        ArgumentException.ThrowIfNullOrEmpty(name);
        AddClientSettings(services, name, ConfigurationPath.Combine(BrokerClientSettings.NamedSection, name), configure);
        services.TryAddKeyedSingleton(name, static (provider, key) => ClientStart.Start(provider, (string)key!));
        services.AddSingleton(new HostedPart(HostedPartKind.Client, provider => provider.GetRequiredKeyedService<BrokerConnection>(name), name));
        return services;
    }

    /// <summary>
    /// Adds a bridge: <see cref="ZeroMqBridge"/>, with the routes of the section <c>ZeroMqBridge</c> of the configuration. It reaches the server of
    /// this host without a socket, unless that section names another. A host has one bridge: called again, this adds to what code says of it.
    /// </summary>
    /// <param name="services">The services of a host.</param>
    /// <param name="configure">
    /// Given options with this host's loops, logger and server and the routes of the configuration, answers those to use; asked again when the
    /// configuration's routes have changed, and each time after those that were given before it. Null, and without routes in the configuration, for PUB and SUB at the usual ports.
    /// </param>
    /// <returns>The services, for more.</returns>
    public static IServiceCollection AddZeroMqBridge(
        this IServiceCollection services, Func<IServiceProvider, ZeroMqBridgeOptions, ZeroMqBridgeOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(services);
        AddCommon(services);
        bool isFirst = services.All(static service => service.ServiceType != typeof(BridgeReload));
        services.TryAddSingleton<BridgeReload>();
        if (configure is not null)
        {
            services.AddSingleton(new BridgeConfiguration(configure));
        }

        services.TryAddSingleton(static provider => new BridgeStart(
            provider, provider.GetRequiredService<ILoggerFactory>(), provider.GetRequiredService<EventLoopGroup>(),
            [.. provider.GetServices<BridgeConfiguration>()]).Start());
        if (isFirst)
        {
            services.AddSingleton(new HostedPart(HostedPartKind.Bridge, static provider => provider.GetRequiredService<ZeroMqBridge>()));
        }

        return services;
    }

    private static void AddClientSettings(IServiceCollection services, string name, string section, Action<BrokerClientSettings>? configure)
    {
        OptionsBuilder<BrokerClientSettings> settings = services.AddOptions<BrokerClientSettings>(name)
            .BindConfiguration(section, static binder => binder.ErrorOnUnknownConfiguration = true);
        if (configure is not null)
        {
            settings.Configure(configure);
        }

        AddCommon(services);
    }

    [SuppressMessage("Reliability", "CA2000:Dispose objects before losing scope", Justification = "The container disposes what its factories make.")]
    private static void AddCommon(IServiceCollection services)
    {
        services.AddLogging();
        services.TryAddSingleton(static provider =>
        {
            // The count is the server's setting; where there is none, the default.
            int loops = provider.GetService<IOptions<BrokerSettings>>()?.Value.Loops ?? 0;
            var log = new HostingLog(provider.GetRequiredService<ILoggerFactory>());
            var options = new EventLoopOptions { ThreadName = "broker loop", OnFault = log.LoopFault };
            return new EventLoopGroup(loops > 0 ? options with { Loops = loops } : options);
        });
        services.TryAddSingleton<HostedState>();
        services.TryAddSingleton(static provider => new HostedMetrics(provider.GetService<IMeterFactory>()));
        services.TryAddEnumerable(ServiceDescriptor.Singleton<IHostedService, HostedParts>());
    }
}
