using System.Collections.ObjectModel;
using System.Text.Json.Serialization.Metadata;

namespace Broker.Client;

/// <summary>
/// An instance of a service: endpoints that answer requests, and answers to the questions PING, INFO and STATS by which
/// other programs find it. Thread-safe.
/// </summary>
public sealed class Service : IAsyncDisposable
{
    internal static readonly IReadOnlyDictionary<string, string> NoMetadata = ReadOnlyDictionary<string, string>.Empty;

    private readonly ServiceOptions _options;
    private readonly ServiceGroup _root;
    private readonly DateTimeOffset _started = DateTimeOffset.UtcNow;
    private readonly Lock _gate = new();
    private readonly List<ServiceEndpoint> _endpoints = [];
    private readonly Subscription[] _monitors;
    private bool _isStopped;

    /// <exception cref="ArgumentException">An option is not valid.</exception>
    internal Service(BrokerConnection connection, ServiceOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        ServiceNames.Require(options.Name, "name of a service", nameof(options));
        ServiceNames.RequireVersion(options.Version, nameof(options));
        ServiceNames.RequireQueueGroup(options.QueueGroup, nameof(options));
        Connection = connection;
        _options = options;
        _root = new ServiceGroup(this, "", options.QueueGroup);
        Id = BrokerConnection.NewInbox("x")[2..];
        _monitors =
        [
            .. Monitor(ServiceNames.Ping, ServicePing.Type, GetPing, ServicesJson.Default.ServicePing),
            .. Monitor(ServiceNames.Info, ServiceInfo.Type, GetInfo, ServicesJson.Default.ServiceInfo),
            .. Monitor(ServiceNames.Stats, ServiceStats.Type, GetStats, ServicesJson.Default.ServiceStats),
        ];
    }

    /// <summary>The connection of the service.</summary>
    public BrokerConnection Connection { get; }

    /// <summary>The name of the service.</summary>
    public string Name => _options.Name;

    /// <summary>The id of this instance, which no other instance has.</summary>
    public string Id { get; }

    /// <inheritdoc cref="ServiceGroup.AddGroup"/>
    /// <summary>Adds a group of endpoints.</summary>
    /// <param name="name">The first tokens of the subjects.</param>
    /// <param name="queueGroup">The queue group of its endpoints. Null for that of the service; empty for none.</param>
    public ServiceGroup AddGroup(string name, string? queueGroup = null) => _root.AddGroup(name, queueGroup);

    /// <inheritdoc cref="ServiceGroup.AddEndpoint(string, Func{ServiceRequest, ValueTask}, EndpointOptions?)"/>
    public ServiceEndpoint AddEndpoint(string name, Func<ServiceRequest, ValueTask> handler, EndpointOptions? options = null)
        => _root.AddEndpoint(name, handler, options);

    /// <inheritdoc cref="ServiceGroup.AddEndpoint(string, Action{ServiceRequest}, EndpointOptions?)"/>
    public ServiceEndpoint AddEndpoint(string name, Action<ServiceRequest> handler, EndpointOptions? options = null)
        => _root.AddEndpoint(name, handler, options);

    /// <inheritdoc cref="ServiceGroup.AddEndpoint{TRequest, TAnswer}"/>
    public ServiceEndpoint AddEndpoint<TRequest, TAnswer>(
        string name, IMessageEncoder encoder, Func<TRequest, ValueTask<TAnswer>> handler, EndpointOptions? options = null)
        => _root.AddEndpoint(name, encoder, handler, options);

    /// <summary>Returns what the service tells of itself.</summary>
    public ServiceInfo GetInfo()
        => new()
        {
            Name = Name,
            Id = Id,
            Version = _options.Version,
            Metadata = _options.Metadata ?? NoMetadata,
            Description = _options.Description ?? "",
            Endpoints = [.. Endpoints().Select(static endpoint => endpoint.GetInfo())],
        };

    /// <summary>Returns the statistics of the service.</summary>
    public ServiceStats GetStats()
        => new()
        {
            Name = Name,
            Id = Id,
            Version = _options.Version,
            Metadata = _options.Metadata ?? NoMetadata,
            Started = _started,
            Endpoints = [.. Endpoints().Select(static endpoint => endpoint.GetStats())],
        };

    /// <summary>
    /// Stops the service: other programs no longer find it, no more requests come, and those that wait are answered. A
    /// handler must not wait for the end of its own service.
    /// </summary>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="OperationCanceledException">The wait was cancelled. Requests that wait are still
    /// answered.</exception>
    public async Task StopAsync(CancellationToken cancellationToken = default)
    {
        ServiceEndpoint[] endpoints = End();
        await Task.WhenAll(endpoints.Select(endpoint => endpoint.StopAsync(cancellationToken))).ConfigureAwait(false);
    }

    /// <summary>Stops the service at once. Requests that wait are not answered.</summary>
    public async ValueTask DisposeAsync()
    {
        foreach (ServiceEndpoint endpoint in End())
        {
            await endpoint.DisposeAsync().ConfigureAwait(false);
        }
    }

    internal ServiceEndpoint Add(string name, string subject, string queueGroup, EndpointOptions options, Func<ServiceRequest, ValueTask> handler)
    {
        lock (_gate)
        {
            ObjectDisposedException.ThrowIf(_isStopped, this);
            var endpoint = new ServiceEndpoint(this, name, subject, queueGroup, options, handler);
            _endpoints.Add(endpoint);
            return endpoint;
        }
    }

    internal void Remove(ServiceEndpoint endpoint)
    {
        lock (_gate)
        {
            _endpoints.Remove(endpoint);
        }
    }

    private ServicePing GetPing() => new() { Name = Name, Id = Id, Version = _options.Version, Metadata = _options.Metadata ?? NoMetadata };

    private ServiceEndpoint[] Endpoints()
    {
        lock (_gate)
        {
            return [.. _endpoints];
        }
    }

    private ServiceEndpoint[] End()
    {
        foreach (Subscription monitor in _monitors)
        {
            monitor.Unsubscribe();
        }

        lock (_gate)
        {
            _isStopped = true;
            return [.. _endpoints];
        }
    }

    // A question goes to all services, to those of this name, or to this instance.
    private IEnumerable<Subscription> Monitor<T>(string verb, string kind, Func<T> get, JsonTypeInfo<T> type)
    {
        foreach (string subject in (string[])[ServiceNames.Subject(verb, null, null), ServiceNames.Subject(verb, Name, null), ServiceNames.Subject(verb, Name, Id)])
        {
            yield return Connection.Subscribe(subject, (in question) =>
            {
                if (!question.ReplyTo.IsEmpty)
                {
                    question.Respond(ServiceAnswer.Write(kind, get(), type));
                }
            });
        }
    }
}
