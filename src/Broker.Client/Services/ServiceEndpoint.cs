using System.Diagnostics;
using System.Text.Json;

namespace Broker.Client;

/// <summary>
/// An endpoint of a service: a subject and its handler, which gets one request at a time. Disposing it takes it out of
/// the service.
/// </summary>
public sealed class ServiceEndpoint : IAsyncDisposable
{
    private const int InternalError = 500;

    private readonly Service _service;
    private readonly Func<ServiceRequest, ValueTask> _handler;
    private readonly EndpointOptions _options;
    private readonly HandlerBinding _binding;
    private readonly Lock _gate = new();
    private long _requests;
    private long _errors;
    private long _ticks;
    private string? _lastError;

    internal ServiceEndpoint(Service service, string name, string subject, string queueGroup, EndpointOptions options, Func<ServiceRequest, ValueTask> handler)
    {
        _service = service;
        _handler = handler;
        _options = options;
        Name = name;
        Subject = subject;
        QueueGroup = queueGroup;
        _binding = service.Connection.Subscribe(subject, HandleAsync, queueGroup.Length == 0 ? null : queueGroup, options.Queue);
    }

    /// <summary>The name of the endpoint.</summary>
    public string Name { get; }

    /// <summary>The subject of its requests.</summary>
    public string Subject { get; }

    /// <summary>The queue group. Empty for none.</summary>
    public string QueueGroup { get; }

    /// <summary>
    /// Completes when the last call of the handler has returned. It fails if the endpoint gets no more requests because
    /// of an error, as <see cref="HandlerBinding.Completion"/> tells.
    /// </summary>
    public Task Completion => _binding.Completion;

    /// <summary>Returns the statistics. Thread-safe.</summary>
    public EndpointStats GetStats()
    {
        JsonElement? data = _options.Data?.Invoke();
        lock (_gate)
        {
            return new EndpointStats
            {
                Name = Name,
                Subject = Subject,
                QueueGroup = QueueGroup,
                Requests = _requests,
                Errors = _errors,
                LastError = _lastError ?? "",
                ProcessingTime = TimeSpan.FromTicks(_ticks),
                AverageProcessingTime = TimeSpan.FromTicks(_requests == 0 ? 0 : _ticks / _requests),
                Data = data,
            };
        }
    }

    /// <summary>
    /// Takes the endpoint out of the service: no more requests come, and those that wait are handled. A handler must
    /// not wait for the end of its own endpoint.
    /// </summary>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="OperationCanceledException">The wait was cancelled. Requests that wait are still
    /// handled.</exception>
    public async Task StopAsync(CancellationToken cancellationToken = default)
    {
        _service.Remove(this);
        if (_binding.Subscription.Subscription.IsActive)
        {
            await _binding.Subscription.DrainAsync(cancellationToken).ConfigureAwait(false);
        }

        // An error of the subscription has been reported by Completion.
        await Task.WhenAny(Completion).WaitAsync(cancellationToken).ConfigureAwait(false);
    }

    /// <summary>Takes the endpoint out of the service at once. Requests that wait are not handled.</summary>
    public ValueTask DisposeAsync()
    {
        _service.Remove(this);
        return _binding.DisposeAsync();
    }

    internal EndpointInfo GetInfo()
        => new() { Name = Name, Subject = Subject, QueueGroup = QueueGroup, Metadata = _options.Metadata ?? Service.NoMetadata };

    internal void Count(ServiceError error, bool isFirst)
    {
        lock (_gate)
        {
            _errors += isFirst ? 1 : 0;
            _lastError = error.ToString();
        }
    }

    private async ValueTask HandleAsync(Message message)
    {
        long start = Stopwatch.GetTimestamp();
        var request = new ServiceRequest(this, in message);
        // A caller that has its reply finds the request in the statistics, so it is counted before.
        lock (_gate)
        {
            _requests++;
        }

        try
        {
            await _handler(request).ConfigureAwait(false);
        }
        catch (ServiceException e)
        {
            // The error may be that of another service, which sent no code.
            RespondError(request, e.Code > 0 ? e.Code : InternalError, e.Description, e.Body.Span);
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            // The text of an unexpected error may have secrets, so it is reported here and not sent.
            RespondError(request, InternalError, "the handler failed");
            throw;
        }
        finally
        {
            lock (_gate)
            {
                _ticks += Stopwatch.GetElapsedTime(start).Ticks;
            }
        }
    }

    // A handler may fail after its answer, and a message without a reply subject gets no answer.
    private static void RespondError(ServiceRequest request, int code, string description, ReadOnlySpan<byte> body = default)
    {
        if (request.IsAnswered || request.Message.ReplyToBytes.IsEmpty)
        {
            request.CountError(new ServiceError(code, description));
            return;
        }

        try
        {
            request.RespondError(code, description, body);
        }
        catch (PublishRefusedException)
        {
            // The connection is closed, or its buffer is full. The error of the handler is the one to report.
        }
    }
}
