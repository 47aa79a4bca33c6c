using System.Text;
using Broker.Protocol;

namespace Broker.Streams;

/// <summary>Answers the requests that describe the account and its streams.</summary>
internal sealed class StreamQueries(ApiContext context)
{
    private const int NamesLimit = 1024;
    private const int InfosLimit = 256;

    internal void Account(ApiRequest request)
    {
        long onDisk = 0;
        long inMemory = 0;
        foreach (ServedStream stream in context.Streams.All)
        {
            long bytes = stream.Store.Summarize(stream.Stored).Bytes;
            onDisk += stream.Config.Storage is StreamRules.Memory ? 0 : bytes;
            inMemory += stream.Config.Storage is StreamRules.Memory ? bytes : 0;
        }

        var answer = new AccountAnswer
        {
            Memory = inMemory,
            Storage = onDisk,
            ReservedMemory = context.Streams.ReservedMemory,
            ReservedStorage = context.Streams.ReservedFile,
            Streams = context.Streams.Count,
            Consumers = context.Streams.All.Sum(static stream => stream.Consumers.Count),
            Limits = AccountLimits.Of(context.Limits),
            Domain = context.Responder.Domain,
            Api = new AccountRequests { Level = ApiRequests.Level, Total = context.Responder.Requests, Errors = context.Responder.Errors },
        };
        context.Responder.Answer(request.Reply, answer, "account_info_response", WireJson.Default.AccountAnswer);
    }

    internal void Info(ApiRequest request)
    {
        const string Kind = "stream_info_response";
        if (ApiContext.TryRead(request, WireJson.Default.StreamRequest, new StreamRequest(), out StreamRequest details, out ApiError? error)
            && context.Streams.TryGet(request.Token(2), out ServedStream? stream))
        {
            context.Responder.Answer(request.Reply, StreamDescriptions.Of(context, stream, details), Kind, WireJson.Default.StreamInfo);
            return;
        }

        context.Responder.Refuse(request.Reply, error ?? ApiErrors.StreamNotFound, Kind);
    }

    internal void Names(ApiRequest request)
    {
        const string Kind = "stream_names_response";
        if (TryFind(request, Kind, out List<ServedStream> all, out int offset))
        {
            var answer = new StreamNamesAnswer
            {
                Total = all.Count,
                Offset = offset,
                Limit = NamesLimit,
                Streams = [.. all.Skip(offset).Take(NamesLimit).Select(static stream => stream.Name)],
            };
            context.Responder.Answer(request.Reply, answer, Kind, WireJson.Default.StreamNamesAnswer);
        }
    }

    internal void List(ApiRequest request)
    {
        const string Kind = "stream_list_response";
        if (TryFind(request, Kind, out List<ServedStream> all, out int offset))
        {
            var answer = new StreamListAnswer
            {
                Total = all.Count,
                Offset = offset,
                Limit = InfosLimit,
                Streams = [.. all.Skip(offset).Take(InfosLimit).Select(stream => StreamDescriptions.Of(context, stream))],
            };
            context.Responder.Answer(request.Reply, answer, Kind, WireJson.Default.StreamListAnswer);
        }
    }

    private bool TryFind(ApiRequest request, string kind, out List<ServedStream> found, out int offset)
    {
        found = [];
        offset = 0;
        if (!ApiContext.TryRead(request, WireJson.Default.StreamRequest, new StreamRequest(), out StreamRequest body, out ApiError? error))
        {
            context.Responder.Refuse(request.Reply, error!, kind);
            return false;
        }

        // No stream has a subject that is not valid.
        bool isValid = string.IsNullOrEmpty(body.Subject) || Subject.IsValidFilter(Encoding.UTF8.GetBytes(body.Subject));
        found = !isValid ? [] : [.. context.Streams.All.Where(stream => string.IsNullOrEmpty(body.Subject) || stream.Config.Subjects!.Exists(s => SubjectFilters.Overlap(s, body.Subject)))];
        offset = Math.Clamp(body.Offset, 0, found.Count);
        return true;
    }
}
