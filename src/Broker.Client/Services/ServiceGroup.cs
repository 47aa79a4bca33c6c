namespace Broker.Client;

/// <summary>Endpoints of a service whose subjects begin with the same tokens.</summary>
public sealed class ServiceGroup
{
    private readonly Service _service;
    private readonly string _queueGroup;

    internal ServiceGroup(Service service, string subject, string queueGroup)
    {
        _service = service;
        _queueGroup = queueGroup;
        Subject = subject;
    }

    /// <summary>The beginning of the subjects, without a dot at the end. Empty for none.</summary>
    public string Subject { get; }

    /// <summary>Adds a group within this one.</summary>
    /// <param name="name">The tokens behind those of this group.</param>
    /// <param name="queueGroup">The queue group of its endpoints. Null for that of this group; empty for none.</param>
    /// <exception cref="ArgumentException">The name or the queue group is not valid.</exception>
    public ServiceGroup AddGroup(string name, string? queueGroup = null)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        string subject = Append(name);
        ServiceNames.RequireSubject(subject, nameof(name));
        ServiceNames.RequireQueueGroup(queueGroup ?? _queueGroup, nameof(queueGroup));
        return new ServiceGroup(_service, subject, queueGroup ?? _queueGroup);
    }

    /// <summary>Adds an endpoint, which gets requests from now on.</summary>
    /// <param name="name">The name: letters, digits, <c>-</c> and <c>_</c> of ASCII.</param>
    /// <param name="handler">Answers a request. It is called on the thread pool, for one request at a time.
    /// <see cref="ServiceException"/> becomes the error of the answer. Another exception becomes the error 500 without
    /// its text, and is reported by the connection as that of a subscription's handler.</param>
    /// <param name="options">The subject, the queue group and so on. Null for the defaults.</param>
    /// <exception cref="ArgumentException">The name or an option is not valid.</exception>
    /// <exception cref="ObjectDisposedException">The service was stopped.</exception>
    public ServiceEndpoint AddEndpoint(string name, Func<ServiceRequest, ValueTask> handler, EndpointOptions? options = null)
    {
        ServiceNames.Require(name, "name of an endpoint", nameof(name));
        ArgumentNullException.ThrowIfNull(handler);
        options ??= EndpointOptions.Default;
        string subject = Append(options.Subject ?? name);
        ServiceNames.RequireSubject(subject, nameof(options));
        string queueGroup = options.QueueGroup ?? _queueGroup;
        ServiceNames.RequireQueueGroup(queueGroup, nameof(options));
        return _service.Add(name, subject, queueGroup, options, handler);
    }

    /// <inheritdoc cref="AddEndpoint(string, Func{ServiceRequest, ValueTask}, EndpointOptions?)"/>
    public ServiceEndpoint AddEndpoint(string name, Action<ServiceRequest> handler, EndpointOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return AddEndpoint(
            name,
            request =>
            {
                handler(request);
                return ValueTask.CompletedTask;
            },
            options);
    }

    /// <summary>Adds an endpoint that gets a value and answers with a value.</summary>
    /// <param name="name">The name: letters, digits, <c>-</c> and <c>_</c> of ASCII.</param>
    /// <param name="encoder">Reads requests and writes answers. A request that it cannot read is answered with the
    /// error 400.</param>
    /// <param name="handler">Returns the answer to a value. It is called on the thread pool, for one request at a
    /// time.</param>
    /// <param name="options">The subject, the queue group and so on. Null for the defaults.</param>
    /// <inheritdoc cref="AddEndpoint(string, Func{ServiceRequest, ValueTask}, EndpointOptions?)"/>
    public ServiceEndpoint AddEndpoint<TRequest, TAnswer>(
        string name, IMessageEncoder encoder, Func<TRequest, ValueTask<TAnswer>> handler, EndpointOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(encoder);
        ArgumentNullException.ThrowIfNull(handler);
        return AddEndpoint(name, request => AnswerAsync(request, encoder, handler), options);
    }

    private static async ValueTask AnswerAsync<TRequest, TAnswer>(ServiceRequest request, IMessageEncoder encoder, Func<TRequest, ValueTask<TAnswer>> handler)
    {
        TRequest value;
        try
        {
            value = encoder.Decode<TRequest>(request.Body.Span);
        }
        catch (FormatException e)
        {
            throw new ServiceException(400, $"the body is not a valid {typeof(TRequest).Name}", e);
        }

        request.Respond(await handler(value).ConfigureAwait(false), encoder);
    }

    private string Append(string tokens) => Subject.Length == 0 ? tokens : $"{Subject}.{tokens}";
}
