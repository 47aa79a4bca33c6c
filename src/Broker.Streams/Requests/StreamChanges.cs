using System.Text;
using System.Text.Json;
using Broker.Protocol;

namespace Broker.Streams;

/// <summary>Answers the requests that create, change, empty and delete streams.</summary>
internal sealed class StreamChanges(ApiContext context, ManagementQueue queue)
{
    private const string CreateKind = "stream_create_response";
    private const string UpdateKind = "stream_update_response";
    private const string DeleteKind = "stream_delete_response";
    private const string PurgeKind = "stream_purge_response";

    internal void Create(ApiRequest request)
    {
        if (!TryReadConfig(request, CreateKind, out StreamConfig config))
        {
            return;
        }

        if (config.Sealed)
        {
            context.Responder.Refuse(request.Reply, ApiErrors.InvalidConfig("stream configuration for create can not be sealed"), CreateKind);
            return;
        }

        if (context.Streams.TryGet(config.Name, out ServedStream? known))
        {
            Answer(request, known, AreEqual(known.Config, config) ? null : ApiErrors.StreamExists, CreateKind, isNew: null);
            return;
        }

        StreamStore store = context.Stores.Of(config);
        ApiError? error = AccountRules.RoomError(config, context.Limits, context.Streams, store.Quota) ?? (context.Streams.HasOverlap(config) ? ApiErrors.Overlap : null);
        if (error is not null)
        {
            context.Responder.Refuse(request.Reply, error, CreateKind);
            return;
        }

        var stored = new StoredConfig { Created = context.Now, Config = config };
        long token = context.Await((_, outcome) => EndCreate(request, store, stored, outcome));
        QueueStatus status = store.Create(
            config.Name, StreamRules.LimitsOf(config), JsonSerializer.SerializeToUtf8Bytes(stored, WireJson.Default.StoredConfig), context.Reports, token, config.FirstSeq ?? 1);
        Begin(request, token, status, store, null, CreateKind);
    }

    internal void Update(ApiRequest request)
    {
        if (!TryReadConfig(request, UpdateKind, out StreamConfig config) || !TryFind(request, UpdateKind, out ServedStream stream))
        {
            return;
        }

        ApiError? error = StreamRules.Change(stream.Config, config)
            ?? AccountRules.ChangeError(stream.Config, config, context.Limits, stream.Store.Quota)
            ?? (context.Streams.HasOverlap(config) ? ApiErrors.Overlap : null);
        if (error is not null)
        {
            context.Responder.Refuse(request.Reply, error, UpdateKind);
            return;
        }

        var stored = new StoredConfig { Created = stream.Created, Config = config };
        long token = context.Await((_, outcome) => End(request, stream, outcome, UpdateKind, () =>
        {
            stream.Config = config;
            context.Streams.Subscribe(stream, context.Input);
            context.Advisories.Updated(stream);
            Answer(request, stream, null, UpdateKind, isNew: null);
        }));
        QueueStatus status = stream.Store.Update(
            stream.Stored, StreamRules.LimitsOf(config), JsonSerializer.SerializeToUtf8Bytes(stored, WireJson.Default.StoredConfig), context.Reports, token);
        Begin(request, token, status, stream.Store, stream.Stored, UpdateKind);
    }

    internal void Delete(ApiRequest request)
    {
        if (!request.IsEmpty)
        {
            context.Responder.Refuse(request.Reply, ApiErrors.NotEmpty, DeleteKind);
            return;
        }

        if (!TryFind(request, DeleteKind, out ServedStream stream))
        {
            return;
        }

        long token = context.Await((_, outcome) => End(request, stream, outcome, DeleteKind, () =>
        {
            context.Streams.Remove(stream);
            foreach (ServedConsumer consumer in stream.Consumers.Values)
            {
                consumer.Delete();
            }

            context.Advisories.Deleted(stream);
            context.Responder.Answer(request.Reply, new SuccessAnswer(), DeleteKind, WireJson.Default.SuccessAnswer);
        }));
        QueueStatus status;
        using (StoreBatch batch = stream.Store.Begin())
        {
            status = batch.DeleteStream(stream.Stored, context.Reports, token);
        }

        Begin(request, token, status, stream.Store, stream.Stored, DeleteKind);
    }

    internal void Purge(ApiRequest request)
    {
        if (!ApiContext.TryRead(request, WireJson.Default.StreamRequest, new StreamRequest(), out StreamRequest body, out ApiError? error))
        {
            context.Responder.Refuse(request.Reply, error!, PurgeKind);
            return;
        }

        if (!TryFind(request, PurgeKind, out ServedStream stream))
        {
            return;
        }

        if (PurgeError(stream, body) is { } problem)
        {
            context.Responder.Refuse(request.Reply, problem, PurgeKind);
            return;
        }

        byte[] filter = Encoding.UTF8.GetBytes(string.IsNullOrEmpty(body.Filter) ? ">" : body.Filter);
        if (!Subject.IsValidFilter(filter))
        {
            // No message has a subject that is not valid.
            context.Responder.Answer(request.Reply, new SuccessAnswer { Purged = 0 }, PurgeKind, WireJson.Default.SuccessAnswer);
            return;
        }

        long token = context.Await((purged, outcome) => End(request, stream, outcome, PurgeKind, () => context.Responder.Answer(
            request.Reply, new SuccessAnswer { Purged = purged }, PurgeKind, WireJson.Default.SuccessAnswer)));
        QueueStatus status;
        using (StoreBatch batch = stream.Store.Begin())
        {
            status = batch.PurgeSubjects(stream.Stored, filter, body.Seq == 0 ? ulong.MaxValue : body.Seq, (long)Math.Min(body.Keep, long.MaxValue), context.Reports, token);
        }

        Begin(request, token, status, stream.Store, stream.Stored, PurgeKind);
    }

    private static ApiError? PurgeError(ServedStream stream, StreamRequest body)
    {
        if (stream.Config.Sealed)
        {
            return ApiErrors.Sealed;
        }

        if (stream.Config.DenyPurge)
        {
            return ApiErrors.PurgeDenied;
        }

        return body is { Seq: > 0, Keep: > 0 } ? ApiErrors.BadRequest : null;
    }

    private static bool AreEqual(StreamConfig one, StreamConfig other)
        => JsonSerializer.SerializeToUtf8Bytes(one, WireJson.Default.StreamConfig).AsSpan().SequenceEqual(JsonSerializer.SerializeToUtf8Bytes(other, WireJson.Default.StreamConfig));

    private bool TryReadConfig(ApiRequest request, string kind, out StreamConfig config)
    {
        config = new StreamConfig();
        if (ApiContext.TryRead(request, WireJson.Default.StreamConfig, config, out config, out ApiError? problem))
        {
            bool isOther = !string.Equals(config.Name, request.Token(2), StringComparison.Ordinal);
            problem = isOther && (kind is CreateKind || config.Name.Length > 0) ? ApiErrors.NameMismatch : StreamRules.Complete(config) ?? AccountRules.SizeError(config, context.Limits);
        }

        if (problem is not null)
        {
            context.Responder.Refuse(request.Reply, problem, kind);
        }

        return problem is null;
    }

    private bool TryFind(ApiRequest request, string kind, out ServedStream stream)
    {
        bool isKnown = context.Streams.TryGet(request.Token(2), out ServedStream? found);
        stream = found!;
        if (!isKnown)
        {
            context.Responder.Refuse(request.Reply, ApiErrors.StreamNotFound, kind);
        }

        return isKnown;
    }

    private void Begin(ApiRequest request, long token, QueueStatus status, StreamStore store, StoredStream? stored, string kind)
    {
        if (status == QueueStatus.Queued)
        {
            queue.Begin();
            return;
        }

        context.Forget(token);
        context.Responder.Refuse(request.Reply, StoreErrors.Of(status, store, stored), kind);
    }

    private void End(ApiRequest request, ServedStream stream, StoreOutcome outcome, string kind, Action stored)
    {
        if (outcome == StoreOutcome.Stored)
        {
            stored();
        }
        else
        {
            context.Responder.Refuse(request.Reply, StoreErrors.Of(outcome, stream.Store), kind);
        }

        queue.End();
    }

    private void EndCreate(ApiRequest request, StreamStore store, StoredConfig stored, StoreOutcome outcome)
    {
        if (outcome == StoreOutcome.Stored && store.Find(stored.Config.Name) is { } created)
        {
            var stream = new ServedStream(store, created, stored);
            context.Streams.Add(stream, context.Input);
            context.Advisories.Created(stream);
            Answer(request, stream, null, CreateKind, isNew: true);
        }
        else
        {
            context.Responder.Refuse(request.Reply, StoreErrors.Of(outcome, store), CreateKind);
        }

        queue.End();
    }

    private void Answer(ApiRequest request, ServedStream stream, ApiError? error, string kind, bool? isNew)
    {
        if (error is not null)
        {
            context.Responder.Refuse(request.Reply, error, kind);
            return;
        }

        context.Responder.Answer(request.Reply, StreamDescriptions.Of(context, stream, isNew), kind, WireJson.Default.StreamInfo);
    }
}
