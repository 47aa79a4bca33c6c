using System.Diagnostics.CodeAnalysis;
using Broker.Client;
using Broker.Client.Streams;
using Broker.Hosting;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Adds streams and consumers of streams to the services of a host.</summary>
public static class BrokerStreamServices
{
    /// <summary>
    /// Adds a <see cref="StreamsClient"/> on the client of the host. The configuration section <c>BrokerStreams</c> sets
    /// its options.
    /// </summary>
    /// <example>
    /// <code>
    /// builder.Services.AddBrokerClient().AddBrokerStreams();
    /// </code>
    /// </example>
    /// <param name="services">The services of a host, with a client.</param>
    /// <param name="configure">Changes the settings after the configuration has been applied.</param>
    /// <returns>The same services, for chained calls.</returns>
    public static IServiceCollection AddBrokerStreams(this IServiceCollection services, Action<BrokerStreamsSettings>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(services);
        AddSettings(services, Microsoft.Extensions.Options.Options.DefaultName, configure);
        services.TryAddSingleton(static provider => HostedStreams.Create(provider, null));
        return services;
    }

    /// <summary>
    /// Adds the streams of a client with a name, for <c>[FromKeyedServices("name")] StreamsClient</c>. The configuration
    /// section <c>BrokerStreamsByClient:name</c> sets their options.
    /// </summary>
    /// <param name="services">The services of a host, with a client of this name.</param>
    /// <param name="client">The name of the client, which is the key of the service.</param>
    /// <param name="configure">Changes the settings after the configuration has been applied.</param>
    /// <returns>The same services, for chained calls.</returns>
    public static IServiceCollection AddBrokerStreams(this IServiceCollection services, string client, Action<BrokerStreamsSettings>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(services);
        ArgumentException.ThrowIfNullOrEmpty(client);
        AddSettings(services, client, configure);
        services.TryAddKeyedSingleton(client, static (provider, key) => HostedStreams.Create(provider, (string)key!));
        return services;
    }

    /// <summary>
    /// Adds a consumer of a stream, which a method handles from the start of the host to its stop. The configuration
    /// section <c>BrokerConsumers:name</c> sets its stream, its concurrency and so on.
    /// </summary>
    /// <remarks>
    /// If the stream or the consumer is missing, or a setting is wrong, the host does not start. If the consumer is
    /// deleted while the host runs, the host stops. A host has one consumer of each name.
    /// </remarks>
    /// <example>
    /// <code>
    /// builder.Services.AddBrokerClient();
    /// builder.Services.AddBrokerConsumer&lt;string&gt;("billing", TextEncoder.Instance, (order, message, cancellationToken) =>
    /// {
    ///     Console.WriteLine(order);
    ///     return ValueTask.CompletedTask;
    /// });
    /// </code>
    /// </example>
    /// <typeparam name="T">The type of the values.</typeparam>
    /// <param name="services">The services of a host, with a client.</param>
    /// <param name="name">The name of the settings, and of the consumer on the server if the settings name no other.</param>
    /// <param name="encoder">Reads the bodies of messages.</param>
    /// <param name="handler">Handles a message. When it returns, the message is acknowledged. It is called on the thread
    /// pool, for as many messages at a time as the concurrency says. The token is cancelled when the time for the stop of
    /// the host is used up.</param>
    /// <param name="configure">Changes the settings after the configuration has been applied.</param>
    /// <returns>The same services, for chained calls.</returns>
    /// <exception cref="ArgumentException">The host has a consumer of this name already.</exception>
    public static IServiceCollection AddBrokerConsumer<T>(
        this IServiceCollection services, string name, IMessageEncoder encoder, Func<T, StreamMessage, CancellationToken, ValueTask> handler,
        Action<BrokerConsumerSettings>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(services);
        ArgumentException.ThrowIfNullOrEmpty(name);
        ArgumentNullException.ThrowIfNull(encoder);
        ArgumentNullException.ThrowIfNull(handler);
        return AddConsumer(services, ConsumerRegistration.ForMethod(name, encoder, handler), configure);
    }

    /// <summary>
    /// Adds a consumer of a stream, which a class handles. The class gets the services of the host in its constructor.
    /// </summary>
    /// <typeparam name="T">The type of the values.</typeparam>
    /// <typeparam name="THandler">The class. Each message gets an instance and a scope of its own, unless the class is
    /// registered with another lifetime.</typeparam>
    /// <inheritdoc cref="AddBrokerConsumer{T}"/>
    public static IServiceCollection AddBrokerConsumer<T, [DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] THandler>(
        this IServiceCollection services, string name, IMessageEncoder encoder, Action<BrokerConsumerSettings>? configure = null)
        where THandler : class, IStreamHandler<T>
    {
        ArgumentNullException.ThrowIfNull(services);
        ArgumentException.ThrowIfNullOrEmpty(name);
        ArgumentNullException.ThrowIfNull(encoder);
        services.TryAddScoped<THandler>();
        return AddConsumer(services, ConsumerRegistration.ForClass<T, THandler>(name, encoder), configure);
    }

    private static IServiceCollection AddConsumer(IServiceCollection services, ConsumerRegistration registration, Action<BrokerConsumerSettings>? configure)
    {
        string name = registration.Name;
        RequireNew(services, name);
        // The consumers stop before the clients drain their subscriptions, so the clients are added first.
        services.AddBrokerStreams();
        OptionsBuilder<BrokerConsumerSettings> settings = services.AddOptions<BrokerConsumerSettings>(name).Configure<IConfiguration>(
            (read, configuration) => StreamSettingsReader.Read(configuration.GetSection(ConfigurationPath.Combine(BrokerConsumerSettings.Section, name)), read, name));
        if (configure is not null)
        {
            settings.Configure(configure);
        }

        services.AddSingleton(registration);
        return services.AddSingleton<IHostedService>(provider => new HostedConsumer(provider, registration));
    }

    private static void RequireNew(IServiceCollection services, string name)
    {
        if (services.Any(service => service is { IsKeyedService: false, ImplementationInstance: ConsumerRegistration other }
            && string.Equals(other.Name, name, StringComparison.Ordinal)))
        {
            throw new ArgumentException($"The host has a consumer '{name}' already.", nameof(name));
        }
    }

    private static void AddSettings(IServiceCollection services, string client, Action<BrokerStreamsSettings>? configure)
    {
        BrokerServices.AddCommon(services);
        OptionsBuilder<BrokerStreamsSettings> settings = services.AddOptions<BrokerStreamsSettings>(client).Configure<IConfiguration>(
            (read, configuration) => StreamSettingsReader.Read(configuration.GetSection(StreamSettingsReader.SectionOf(client)), read, client));
        if (configure is not null)
        {
            settings.Configure(configure);
        }
    }
}
