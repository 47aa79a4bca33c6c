using System.Buffers.Text;
using System.Text;
using Broker.Protocol;
using Broker.Server;

namespace Broker.Streams;

/// <summary>
/// Passes each request to the part that answers it. A request that is not known gets no answer, as from nats-server.
/// </summary>
internal sealed class ApiRequests
{
    /// <summary>The level of the API, which grows with its features: 1 for messages with a time to live.</summary>
    internal const int Level = 1;

    private readonly ApiContext _context;
    private readonly ManagementQueue _changes = new();
    private readonly StreamChanges _streamChanges;
    private readonly StreamQueries _streams;
    private readonly MessageRequests _messages;
    private readonly ConsumerRequests _consumers;

    internal ApiRequests(ApiContext context, ConsumerHost host)
    {
        _context = context;
        context.Streams.Reports = context.Reports;
        _consumers = new ConsumerRequests(context, _changes, host);
        _streamChanges = new StreamChanges(context, _changes);
        _streams = new StreamQueries(context);
        _messages = new MessageRequests(context);
    }

    private static ReadOnlySpan<byte> NextMessage => "CONSUMER.MSG.NEXT."u8;

    private static ReadOnlySpan<byte> LevelStatus => "NATS/1.0 412 Required Api Level\r\n\r\n"u8;

    private static ReadOnlySpan<byte> Direct => "DIRECT.GET."u8;

    /// <summary>The bytes of the requests that wait for others.</summary>
    internal long WaitingBytes => _changes.Bytes;

    /// <summary>Answers a request.</summary>
    /// <param name="message">The request.</param>
    /// <param name="prefix">The length of the prefix of the API in the subject.</param>
    internal void Handle(in DeliveredMessage message, int prefix)
    {
        if (message.ReplyTo.IsEmpty)
        {
            return;
        }

        _context.Responder.Requests++;
        ReadOnlySpan<byte> operation = message.Subject[prefix..];
        if (operation.StartsWith(NextMessage))
        {
            if (!message.Headers.IsEmpty && IsLevelMissing(message.Headers))
            {
                _context.Responder.PublishStatus(message.ReplyTo, LevelStatus);
                return;
            }

            _consumers.Next(operation[NextMessage.Length..], message.ReplyTo, message.Body);
            return;
        }

        if (message.HeaderLength == 0 && operation.StartsWith(Direct) && _messages.TryGetLast(operation[Direct.Length..], message.Body, message.ReplyTo))
        {
            return;
        }

        var request = new ApiRequest(Encoding.UTF8.GetString(operation), message.ReplyTo.ToArray(), message.Body.ToArray());
        if (IsLevelMissing(message.Headers))
        {
            if (request.Token(0) is "DIRECT")
            {
                _context.Responder.PublishStatus(request.Reply, LevelStatus);
            }
            else
            {
                _context.Responder.Refuse(request.Reply, ApiErrors.RequiredLevel, KindOf(request));
            }

            return;
        }

        switch (request.Token(0), request.Tokens.Length)
        {
            case ("INFO", 1):
                _streams.Account(request);
                break;
            case ("STREAM", >= 2):
                HandleStream(request);
                break;
            case ("CONSUMER", >= 3):
                _consumers.Handle(request);
                break;
            case ("DIRECT", >= 3) when request.Token(1) is "GET":
                _messages.DirectGet(request);
                break;
        }
    }

    /// <summary>Describes the account for monitoring.</summary>
    internal AccountStreamsDescription Describe(string account, StreamsQuery query)
        => AccountReport.Of(_context, account, query);

    /// <summary>Deletes a consumer that nobody has used for long.</summary>
    internal void RemoveInactive(ServedConsumer consumer)
    {
        var request = new ApiRequest("CONSUMER.DELETE", [], []);
        _changes.Add(request, _ => _consumers.Remove(consumer, static () => { }, request));
    }

    private static bool IsLevelMissing(ReadOnlySpan<byte> headers)
        => HeaderBlock.TryGet(headers, "Nats-Required-Api-Level"u8, out ReadOnlySpan<byte> level)
            && !(Utf8Parser.TryParse(level, out int required, out int read) && read == level.Length && required <= Level);

    /// <summary>The kind of the answer to a request.</summary>
    internal static string KindOf(ApiRequest request)
    {
        string kind = request.Token(0) is "INFO" ? "account_info" : $"{request.Token(0)}_{request.Token(1)}";
        return (request.Token(1) is "MSG" ? $"{kind}_{request.Token(2)}" : kind).ToLowerInvariant() + "_response";
    }

    private void HandleStream(ApiRequest request)
    {
        switch (request.Token(1), request.Tokens.Length)
        {
            case ("NAMES", 2):
                _streams.Names(request);
                break;
            case ("LIST", 2):
                _streams.List(request);
                break;
            case ("INFO", 3):
                _streams.Info(request);
                break;
            case ("CREATE", 3):
                _changes.Add(request, _streamChanges.Create);
                break;
            case ("UPDATE", 3):
                _changes.Add(request, _streamChanges.Update);
                break;
            case ("DELETE", 3):
                _changes.Add(request, _streamChanges.Delete);
                break;
            case ("PURGE", 3):
                _changes.Add(request, _streamChanges.Purge);
                break;
            case ("MSG", 4) when request.Token(2) is "GET":
                _messages.Get(request);
                break;
            case ("MSG", 4) when request.Token(2) is "DELETE":
                _messages.Delete(request);
                break;
            case ("SNAPSHOT", 3):
                ApiError refusal = _context.Streams.TryGet(request.Token(2), out _) ? ApiErrors.SnapshotRefused : ApiErrors.StreamNotFound;
                _context.Responder.Refuse(request.Reply, refusal, KindOf(request));
                break;
            case ("RESTORE", 3):
                _context.Responder.Refuse(request.Reply, ApiErrors.RestoreRefused, KindOf(request));
                break;
            case ("LEADER", 4) when request.Token(2) is "STEPDOWN":
                _context.Responder.Refuse(request.Reply, ApiErrors.ClusterRequired, "stream_leader_stepdown_response");
                break;
            case ("PEER", 4) when request.Token(2) is "REMOVE":
                _context.Responder.Refuse(request.Reply, ApiErrors.ClusterRequired, "stream_remove_peer_response");
                break;
        }
    }
}
