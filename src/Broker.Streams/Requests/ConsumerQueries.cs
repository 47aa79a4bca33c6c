namespace Broker.Streams;

/// <summary>Answers the requests that read consumers.</summary>
internal sealed class ConsumerQueries(ApiContext context, ConsumerLookup lookup)
{
    private const int NamesLimit = 1024;
    private const int InfosLimit = 256;

    /// <summary>Answers a request for one consumer.</summary>
    internal void Info(ApiRequest request)
    {
        const string Kind = "consumer_info_response";
        if (lookup.TryFindWithoutBody(request, Kind, out ServedConsumer consumer))
        {
            context.Responder.Answer(request.Reply, ConsumerDescriptions.Of(consumer, context.Now), Kind, WireJson.Default.ConsumerInfo);
        }
    }

    /// <summary>Answers a request for the consumers of a stream.</summary>
    internal void List(ApiRequest request)
    {
        const string Kind = "consumer_list_response";
        if (TryPage(request, Kind, out ServedStream stream, out int offset))
        {
            var answer = new ConsumerListAnswer
            {
                Total = stream.Consumers.Count,
                Offset = offset,
                Limit = InfosLimit,
                Consumers = [.. stream.InOrder().Skip(offset).Take(InfosLimit).Select(consumer => ConsumerDescriptions.Of(consumer, context.Now))],
            };
            context.Responder.Answer(request.Reply, answer, Kind, WireJson.Default.ConsumerListAnswer);
        }
    }

    /// <summary>Answers a request for the names of the consumers of a stream.</summary>
    internal void Names(ApiRequest request)
    {
        const string Kind = "consumer_names_response";
        if (TryPage(request, Kind, out ServedStream stream, out int offset))
        {
            var answer = new ConsumerNamesAnswer
            {
                Total = stream.Consumers.Count,
                Offset = offset,
                Limit = NamesLimit,
                Consumers = [.. stream.InOrder().Skip(offset).Take(NamesLimit).Select(static consumer => consumer.Name)],
            };
            context.Responder.Answer(request.Reply, answer, Kind, WireJson.Default.ConsumerNamesAnswer);
        }
    }

    private bool TryPage(ApiRequest request, string kind, out ServedStream stream, out int offset)
    {
        offset = 0;
        bool isKnown = context.Streams.TryGet(request.Token(2), out ServedStream? found);
        stream = found!;
        if (!ApiContext.TryRead(request, WireJson.Default.StreamRequest, new StreamRequest(), out StreamRequest body, out ApiError? error) || !isKnown)
        {
            context.Responder.Refuse(request.Reply, error ?? ApiErrors.StreamNotFound, kind);
            return false;
        }

        offset = Math.Clamp(body.Offset, 0, stream.Consumers.Count);
        return true;
    }
}
