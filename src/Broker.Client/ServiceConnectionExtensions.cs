using System.Runtime.CompilerServices;
using System.Text.Json.Serialization.Metadata;

namespace Broker.Client;

/// <summary>Starts services on a connection, finds the services of other programs, and reads their errors.</summary>
public static class ServiceConnectionExtensions
{
    // Services answer at once, so a pause means that all have answered.
    private static readonly RequestManyOptions FindOptions = new() { Deadline = TimeSpan.FromSeconds(5), IdleTimeout = TimeSpan.FromMilliseconds(500) };

    /// <summary>Starts an instance of a service. Add its endpoints next.</summary>
    /// <param name="connection">The connection. The service needs it until it is stopped.</param>
    /// <param name="options">The name, the version and so on.</param>
    /// <returns>The service, which the caller stops or disposes.</returns>
    /// <exception cref="ArgumentException">An option is not valid.</exception>
    /// <exception cref="ConnectionLostException">The connection is closed.</exception>
    public static Service StartService(this BrokerConnection connection, ServiceOptions options)
    {
        ArgumentNullException.ThrowIfNull(connection);
        return new Service(connection, options);
    }

    /// <param name="connection">The connection. The service needs it until it is stopped.</param>
    /// <param name="name">The name: letters, digits, <c>-</c> and <c>_</c> of ASCII.</param>
    /// <param name="version">The version, as in semantic versioning: <c>1.2.3</c>.</param>
    /// <inheritdoc cref="StartService(BrokerConnection, ServiceOptions)"/>
    public static Service StartService(this BrokerConnection connection, string name, string version)
        => connection.StartService(new ServiceOptions(name, version));

    /// <summary>Finds the services that run: asks all, or those of a name, to answer.</summary>
    /// <param name="connection">The connection.</param>
    /// <param name="name">The name of the service. Null for all.</param>
    /// <param name="id">The id of one instance, which needs its name. Null for all.</param>
    /// <param name="options">How long answers are awaited. Null for 5 s, and at most 500 ms after the last
    /// answer.</param>
    /// <param name="cancellationToken">Ends the enumeration.</param>
    /// <returns>One answer of each instance. None if there is no such service.</returns>
    /// <exception cref="ArgumentException">The name or the id is not valid.</exception>
    /// <exception cref="ConnectionLostException">No server is connected, or it was lost.</exception>
    public static IAsyncEnumerable<ServicePing> PingServicesAsync(
        this BrokerConnection connection, string? name = null, string? id = null, RequestManyOptions? options = null, CancellationToken cancellationToken = default)
        => AskAsync(connection, ServiceNames.Ping, ServicePing.Type, name, id, options, ServicesJson.Default.ServicePing, cancellationToken);

    /// <summary>Asks services what they are and which endpoints they have.</summary>
    /// <inheritdoc cref="PingServicesAsync"/>
    public static IAsyncEnumerable<ServiceInfo> GetServiceInfosAsync(
        this BrokerConnection connection, string? name = null, string? id = null, RequestManyOptions? options = null, CancellationToken cancellationToken = default)
        => AskAsync(connection, ServiceNames.Info, ServiceInfo.Type, name, id, options, ServicesJson.Default.ServiceInfo, cancellationToken);

    /// <summary>Asks services for their statistics.</summary>
    /// <inheritdoc cref="PingServicesAsync"/>
    public static IAsyncEnumerable<ServiceStats> GetServiceStatsAsync(
        this BrokerConnection connection, string? name = null, string? id = null, RequestManyOptions? options = null, CancellationToken cancellationToken = default)
        => AskAsync(connection, ServiceNames.Stats, ServiceStats.Type, name, id, options, ServicesJson.Default.ServiceStats, cancellationToken);

    /// <summary>Returns the error of a service's reply. Null if the reply is no error.</summary>
    /// <param name="reply">The reply.</param>
    public static ServiceError? GetServiceError(this Message reply) => ServiceError.Of(reply.Headers.Span);

    /// <summary>Returns a service's reply, or throws the error that it is.</summary>
    /// <param name="reply">The reply.</param>
    /// <returns>The same reply.</returns>
    /// <exception cref="ServiceException">The reply is an error.</exception>
    public static Message EnsureServiceSuccess(this Message reply)
        => reply.GetServiceError() is { } error ? throw new ServiceException(error, reply.Body) : reply;

    private static IAsyncEnumerable<T> AskAsync<T>(
        BrokerConnection connection, string verb, string kind, string? name, string? id, RequestManyOptions? options, JsonTypeInfo<T> type,
        CancellationToken cancellationToken)
        where T : class
    {
        ArgumentNullException.ThrowIfNull(connection);
        if (name is not null)
        {
            ServiceNames.Require(name, "name of a service", nameof(name));
        }

        if (id is not null)
        {
            ServiceNames.Require(id, "id of a service", nameof(id));
            _ = name ?? throw new ArgumentException($"The id '{id}' needs the name of its service.", nameof(id));
        }

        return ReadAsync(connection, ServiceNames.Subject(verb, name, id), kind, options ?? FindOptions, type, cancellationToken);
    }

    private static async IAsyncEnumerable<T> ReadAsync<T>(
        BrokerConnection connection, string subject, string kind, RequestManyOptions options, JsonTypeInfo<T> type,
        [EnumeratorCancellation] CancellationToken cancellationToken)
        where T : class
    {
        IAsyncEnumerator<Message> answers = connection.RequestManyAsync(subject, ReadOnlyMemory<byte>.Empty, options, default, cancellationToken)
            .GetAsyncEnumerator(cancellationToken);
        await using (answers.ConfigureAwait(false))
        {
            while (await HasNextAsync(answers).ConfigureAwait(false))
            {
                if (ServiceAnswer.Read(answers.Current, kind, type) is { } read)
                {
                    yield return read;
                }
            }
        }
    }

    private static async ValueTask<bool> HasNextAsync(IAsyncEnumerator<Message> answers)
    {
        try
        {
            return await answers.MoveNextAsync().ConfigureAwait(false);
        }
        catch (NoRespondersException)
        {
            // There is no such service.
            return false;
        }
    }
}
