namespace Broker.Streams;

/// <summary>Finds the consumer that a request names, or refuses the request.</summary>
internal sealed class ConsumerLookup(ApiContext context)
{
    /// <summary>Finds the consumer of a request without a body.</summary>
    internal bool TryFindWithoutBody(ApiRequest request, string kind, out ServedConsumer consumer)
    {
        if (request.IsEmpty)
        {
            return TryFind(request, kind, out consumer);
        }

        consumer = null!;
        context.Responder.Refuse(request.Reply, ApiErrors.NotEmpty, kind);
        return false;
    }

    /// <summary>Finds the consumer of a request.</summary>
    internal bool TryFind(ApiRequest request, string kind, out ServedConsumer consumer)
    {
        consumer = null!;
        ApiError? error = ApiErrors.StreamNotFound;
        if (context.Streams.TryGet(request.Token(2), out ServedStream? stream))
        {
            error = stream.Consumers.TryGetValue(request.Token(3), out consumer!) ? null : ApiErrors.ConsumerNotFound;
        }

        if (error is not null)
        {
            context.Responder.Refuse(request.Reply, error, kind);
        }

        return error is null;
    }
}
