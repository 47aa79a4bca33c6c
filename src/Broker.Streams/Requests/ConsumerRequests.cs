namespace Broker.Streams;

/// <summary>Passes the requests about consumers to the parts that answer them.</summary>
internal sealed class ConsumerRequests
{
    private const string ResetKind = "consumer_reset_response";
    private const string UnpinKind = "consumer_unpin_response";

    private readonly ApiContext _context;
    private readonly ManagementQueue _queue;
    private readonly ConsumerLookup _lookup;
    private readonly ConsumerChanges _changes;
    private readonly ConsumerQueries _queries;

    internal ConsumerRequests(ApiContext context, ManagementQueue queue, ConsumerHost host)
    {
        _context = context;
        _queue = queue;
        _lookup = new ConsumerLookup(context);
        _changes = new ConsumerChanges(context, queue, host, _lookup);
        _queries = new ConsumerQueries(context, _lookup);
    }

    /// <summary>Answers a request. The tokens after <c>CONSUMER</c> decide which one it is.</summary>
    internal void Handle(ApiRequest request)
    {
        switch (request.Token(1), request.Tokens.Length)
        {
            case ("CREATE", >= 3):
                _queue.Add(request, _changes.Create);
                break;
            case ("DURABLE", 5) when request.Token(2) is "CREATE":
                _queue.Add(request, _changes.Create);
                break;
            case ("DELETE", 4):
                _queue.Add(request, _changes.Delete);
                break;
            case ("PAUSE", 4):
                _queue.Add(request, _changes.Pause);
                break;
            case ("RESET", 4):
                if (_lookup.TryFind(request, ResetKind, out _))
                {
                    _context.Responder.Refuse(request.Reply, ApiErrors.ResetRefused, ResetKind);
                }

                break;
            case ("UNPIN", 4):
                Unpin(request);
                break;
            case ("LEADER", 5) when request.Token(2) is "STEPDOWN":
                _context.Responder.Refuse(request.Reply, ApiErrors.ClusterRequired, "consumer_leader_stepdown_response");
                break;
            case ("INFO", 4):
                _queries.Info(request);
                break;
            case ("LIST", 3):
                _queries.List(request);
                break;
            case ("NAMES", 3):
                _queries.Names(request);
                break;
        }
    }

    /// <summary>Handles a request for messages.</summary>
    internal void Next(ReadOnlySpan<byte> operation, ReadOnlySpan<byte> reply, ReadOnlySpan<byte> body)
    {
        int dot = operation.IndexOf((byte)'.');
        ServedConsumer? consumer = dot < 0 ? null : _context.Streams.Find(operation[..dot])?.FindConsumer(operation[(dot + 1)..]);
        if (consumer is null)
        {
            _context.Responder.PublishStatus(reply, "NATS/1.0 503\r\n\r\n"u8);
            return;
        }

        consumer.Pull(reply, body);
    }

    /// <summary>Deletes a consumer, also in the log.</summary>
    internal void Remove(ServedConsumer consumer, Action removed, ApiRequest request) => _changes.Remove(consumer, removed, request);

    // No consumer has groups.
    private void Unpin(ApiRequest request)
    {
        if (!ApiContext.TryRead(request, WireJson.Default.StreamRequest, new StreamRequest(), out StreamRequest _, out ApiError? error))
        {
            _context.Responder.Refuse(request.Reply, error!, UnpinKind);
        }
        else if (_lookup.TryFind(request, UnpinKind, out _))
        {
            _context.Responder.Refuse(request.Reply, ApiErrors.NoSuchGroup, UnpinKind);
        }
    }
}
