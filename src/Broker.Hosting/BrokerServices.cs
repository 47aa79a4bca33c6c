using System.Diagnostics.CodeAnalysis;
using System.Diagnostics.Metrics;
using Broker.Bridge;
using Broker.Client;
using Broker.Hosting;
using Broker.Leaf;
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
/// Each part is a singleton. A part starts when it is first resolved, at the latest when the host starts, before all
/// hosted services: first the server and its links to other servers, then clients, then the bridge. If a part fails to
/// start, the host fails to start.
/// When the host stops, the clients' subscriptions are drained first. The parts themselves run until all hosted
/// services have stopped, and then stop in the reverse order. They deliver queued messages for as long as
/// <c>HostOptions.ShutdownTimeout</c> allows.
/// </para>
/// <para>
/// All parts of a host share one <see cref="EventLoopGroup"/>. If the application has registered a group, the parts use
/// that group.
/// </para>
/// </remarks>
public static class BrokerServices
{
    /// <summary>
    /// Adds a <see cref="BrokerServer"/>, and <see cref="LeafNodes"/> with its links to remote servers. The
    /// configuration section <c>Broker</c> sets their options.
    /// </summary>
    /// <param name="services">The services of a host.</param>
    /// <param name="configure">Changes the settings after the configuration has been applied.</param>
    /// <returns>The same services, for chained calls.</returns>
    public static IServiceCollection AddBroker(this IServiceCollection services, Action<BrokerSettings>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(services);
        OptionsBuilder<BrokerSettings> settings = services.AddOptions<BrokerSettings>()
            .Configure<IConfiguration>(static (read, configuration) => SettingsReader.Read(configuration.GetSection(BrokerSettings.Section), read));
        AddChangeSource<BrokerSettings>(services, settings.Name);
        if (configure is not null)
        {
            settings.Configure(configure);
        }

        AddCommon(services);
        services.TryAddSingleton<IValidateOptions<BrokerSettings>, ServerSetup>();
        services.TryAddSingleton<SettingsReload>();
        services.TryAddSingleton(ServerStart.Start);
        services.TryAddSingleton(LeafStart.Start);
        services.AddSingleton(new HostedPart(HostedPartKind.Server, static provider => provider.GetRequiredService<BrokerServer>()));
        services.AddSingleton(new HostedPart(HostedPartKind.LeafNodes, static provider => provider.GetRequiredService<LeafNodes>()));
        return services;
    }

    /// <summary>
    /// Adds a <see cref="BrokerConnection"/>. The configuration section <c>BrokerClient</c> sets its options. If the
    /// section names no server, the connection string <c>nats</c> does (<c>ConnectionStrings:nats</c>, as Aspire and
    /// cloud hosts set it).
    /// </summary>
    /// <example>
    /// <code>
    /// builder.Services.AddBrokerClient();
    /// </code>
    /// </example>
    /// <param name="services">The services of a host.</param>
    /// <param name="configure">Changes the settings after the configuration has been applied.</param>
    /// <returns>The same services, for chained calls.</returns>
    public static IServiceCollection AddBrokerClient(this IServiceCollection services, Action<BrokerClientSettings>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(services);
        AddClientSettings(services, Microsoft.Extensions.Options.Options.DefaultName, BrokerClientSettings.Section, configure);
        services.TryAddSingleton(static provider => ClientStart.Start(provider, Microsoft.Extensions.Options.Options.DefaultName));
        services.AddSingleton(new HostedPart(HostedPartKind.Client, static provider => provider.GetRequiredService<BrokerConnection>()));
        return services;
    }

    /// <summary>
    /// Adds a client with a name, for <c>[FromKeyedServices("name")] BrokerConnection</c>. The configuration section
    /// <c>BrokerClients:name</c> sets its options. If the section names no server, the connection string of the same
    /// name does (<c>ConnectionStrings:name</c>).
    /// </summary>
    /// <param name="services">The services of a host.</param>
    /// <param name="name">The key of the service.</param>
    /// <param name="configure">Changes the settings after the configuration has been applied.</param>
    /// <returns>The same services, for chained calls.</returns>
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
    /// Adds a <see cref="ZeroMqBridge"/> with the routes of the configuration section <c>ZeroMqBridge</c>. The bridge
    /// connects to this host's server without a socket, unless the section names another server. A host has one bridge:
    /// another call of this method only adds its callback to the same bridge.
    /// </summary>
    /// <param name="services">The services of a host.</param>
    /// <param name="configure">
    /// Receives options with this host's loops, logger, server and configured routes, and returns the options to use.
    /// The callback runs again when the configured routes change. Callbacks of several calls run in the order of the
    /// calls. Without a callback and without configured routes, the bridge has a route for PUB and SUB at the default
    /// ports.
    /// </param>
    /// <returns>The same services, for chained calls.</returns>
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

    /// <summary>
    /// Adds a service, which other programs find and ask over NATS. It starts with the host, and stops with it: requests
    /// that have arrived are answered.
    /// </summary>
    /// <example>
    /// <code>
    /// builder.Services.AddBrokerClient();
    /// builder.Services.AddBrokerService("calc", "1.0.0", service => service.AddEndpoint("echo", request => request.Respond(request.Text)));
    /// </code>
    /// </example>
    /// <param name="services">The services of a host, with a client.</param>
    /// <param name="name">The name: letters, digits, <c>-</c> and <c>_</c> of ASCII.</param>
    /// <param name="version">The version, as in semantic versioning: <c>1.2.3</c>.</param>
    /// <param name="configure">Adds the endpoints.</param>
    /// <returns>The same services, for chained calls.</returns>
    public static IServiceCollection AddBrokerService(this IServiceCollection services, string name, string version, Action<Service> configure)
    {
        ArgumentNullException.ThrowIfNull(configure);
        return services.AddBrokerService(new ServiceOptions(name, version), (service, _) => configure(service));
    }

    /// <param name="services">The services of a host, with a client.</param>
    /// <param name="options">The name, the version and so on.</param>
    /// <param name="configure">Adds the endpoints. It gets the services of the host.</param>
    /// <param name="client">The name of the client that the service uses. Null for the client without a name.</param>
    /// <inheritdoc cref="AddBrokerService(IServiceCollection, string, string, Action{Service})"/>
    public static IServiceCollection AddBrokerService(
        this IServiceCollection services, ServiceOptions options, Action<Service, IServiceProvider> configure, string? client = null)
    {
        ArgumentNullException.ThrowIfNull(services);
        ArgumentNullException.ThrowIfNull(options);
        ArgumentNullException.ThrowIfNull(configure);
        return services.AddSingleton<IHostedService>(provider => new HostedService(provider, options, configure, client));
    }

    private static void AddChangeSource<T>(IServiceCollection services, string name)
        => services.AddSingleton<IOptionsChangeTokenSource<T>>(
            provider => new ConfigurationChangeTokenSource<T>(name, provider.GetRequiredService<IConfiguration>()));

    // A server that the section names takes precedence over the connection string.
    private static void ReadClient(IConfiguration configuration, string section, BrokerClientSettings settings, string name)
    {
        SettingsReader.Read(configuration.GetSection(section), settings, name);
        string key = name.Length == 0 ? BrokerClientSettings.ConnectionString : name;
        if (settings.Servers.Count == 0 && configuration.GetConnectionString(key) is { Length: > 0 } servers)
        {
            foreach (string server in servers.Split(',', StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries))
            {
                settings.Servers.Add(server);
            }

            settings.AreServersFromConnectionString = true;
        }
    }

    private static void AddClientSettings(IServiceCollection services, string name, string section, Action<BrokerClientSettings>? configure)
    {
        OptionsBuilder<BrokerClientSettings> settings = services.AddOptions<BrokerClientSettings>(name)
            .Configure<IConfiguration>((read, configuration) => ReadClient(configuration, section, read, name));
        AddChangeSource<BrokerClientSettings>(services, name);
        if (configure is not null)
        {
            settings.Configure(configure);
        }

        AddCommon(services);
    }

    [SuppressMessage("Reliability", "CA2000:Dispose objects before losing scope", Justification = "The container disposes what its factories make.")]
    internal static void AddCommon(IServiceCollection services)
    {
        services.AddLogging();
        services.TryAddSingleton(static provider =>
        {
            // The server's settings contain the number of loops. Without a server, the group has its default number of
            // loops.
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
