using System.Text.Json;

namespace Broker.Streams;

/// <summary>Creates, changes, pauses and deletes consumers. Each change ends when it is on the disk.</summary>
internal sealed class ConsumerChanges(ApiContext context, ManagementQueue queue, ConsumerHost host, ConsumerLookup lookup)
{
    private const string CreateKind = "consumer_create_response";
    private const string DeleteKind = "consumer_delete_response";
    private const string PauseKind = "consumer_pause_response";

    private readonly ConsumerChecks _checks = new(context);

    /// <summary>Creates or changes a consumer.</summary>
    internal void Create(ApiRequest request)
    {
        bool isOld = request.Token(1) is "DURABLE";
        string streamName = request.Token(isOld ? 3 : 2);
        if (!_checks.TryReadRequest(request, streamName, out ConsumerRequest body, out ServedStream stream, out ApiError? error))
        {
            context.Responder.Refuse(request.Reply, error!, CreateKind);
            return;
        }

        ConsumerConfig config = body.Config!;
        string name = request.Token(isOld ? 4 : 3);
        error = ConsumerChecks.NameError(config, name, isOld) ?? ConsumerRules.Complete(config, stream.Config, context.Limits) ?? ConsumerChecks.FilterError(request, config, isOld);
        if (error is null)
        {
            config.Name ??= NewName();
            error = stream.Consumers.TryGetValue(config.Name, out ServedConsumer? known)
                ? ConsumerChecks.UpdateError(known, config, body.Action)
                : _checks.CreateError(stream, config, body.Action);
        }

        if (error is not null)
        {
            context.Responder.Refuse(request.Reply, error, CreateKind);
            return;
        }

        Store(request, stream, config);
    }

    /// <summary>Deletes the consumer of a request.</summary>
    internal void Delete(ApiRequest request)
    {
        if (lookup.TryFindWithoutBody(request, DeleteKind, out ServedConsumer consumer))
        {
            Remove(consumer, () => context.Responder.Answer(request.Reply, new SuccessAnswer(), DeleteKind, WireJson.Default.SuccessAnswer), request);
        }
    }

    /// <summary>Deletes a consumer, also in the log.</summary>
    internal void Remove(ServedConsumer consumer, Action removed, ApiRequest request)
    {
        ServedStream stream = consumer.Stream;
        void End()
        {
            if (stream.Consumers.TryGetValue(consumer.Name, out ServedConsumer? current) && current == consumer)
            {
                stream.Remove(host, consumer);
                context.Advisories.Deleted(consumer);
            }

            removed();
        }

        if (!consumer.IsStored)
        {
            End();
            return;
        }

        Commit(request, stream, DeleteKind, End, (in StoreBatch batch, long token) => batch.DeleteConsumer(stream.Stored, consumer.Name, context.Reports, token));
    }

    /// <summary>Pauses a consumer, or ends its pause.</summary>
    internal void Pause(ApiRequest request)
    {
        if (!ApiContext.TryRead(request, WireJson.Default.StreamRequest, new StreamRequest(), out StreamRequest body, out ApiError? error))
        {
            context.Responder.Refuse(request.Reply, error!, PauseKind);
            return;
        }

        if (!lookup.TryFind(request, PauseKind, out ServedConsumer consumer))
        {
            return;
        }

        ConsumerConfig config = JsonSerializer.Deserialize(JsonSerializer.SerializeToUtf8Bytes(consumer.Config, WireJson.Default.ConsumerConfig), WireJson.Default.ConsumerConfig)!;
        config.PauseUntil = body.PauseUntil?.UtcDateTime;
        var stored = new StoredConsumerConfig { Created = consumer.Created, Start = consumer.Start, Config = config };
        void End()
        {
            consumer.Change(config);
            context.Advisories.Paused(consumer);
            var answer = new PauseAnswer
            {
                Paused = consumer.PausedUntil != 0,
                PauseUntil = config.PauseUntil ?? new DateTime(0, DateTimeKind.Utc),
                PauseRemaining = consumer.PausedUntil == 0 ? null : (consumer.PausedUntil - host.Now) * TimeSpan.NanosecondsPerTick,
            };
            context.Responder.Answer(request.Reply, answer, PauseKind, WireJson.Default.PauseAnswer);
        }

        if (!consumer.IsStored)
        {
            End();
            return;
        }

        byte[] bytes = JsonSerializer.SerializeToUtf8Bytes(stored, WireJson.Default.StoredConsumerConfig);
        Commit(
            request, consumer.Stream, PauseKind, End,
            (in StoreBatch batch, long token) => batch.PutConsumer(consumer.Stream.Stored, consumer.Name, bytes, [], context.Reports, token));
    }

    private static string NewName() => Guid.NewGuid().ToString("N")[..8];

    private void Store(ApiRequest request, ServedStream stream, ConsumerConfig config)
    {
        _ = stream.Consumers.TryGetValue(config.Name!, out ServedConsumer? known);
        var stored = new StoredConsumerConfig
        {
            Created = known?.Created ?? context.Now,
            Start = known?.Start ?? ConsumerStart.Of(stream, config),
            Config = config,
        };
        var progress = new ConsumerProgress();
        progress.BeginAfter(config.DeliverPolicy is ConsumerRules.LastPerSubject ? 0 : Math.Max(stored.Start, 1) - 1);
        ConsumerProgress written = known?.Progress ?? progress;
        if (config.MemStorage == true || stream.Config.Storage is StreamRules.Memory)
        {
            EndStore(request, stream, stored, known, written);
            return;
        }

        // The log has the progress of a consumer that goes on, and all of it may be larger than a group.
        byte[] all = known is { IsStored: true } && GoesOn(known, config) ? [] : written.ToArray();
        byte[] bytes = JsonSerializer.SerializeToUtf8Bytes(stored, WireJson.Default.StoredConsumerConfig);
        Commit(
            request, stream, CreateKind, () => EndStore(request, stream, stored, known, written),
            (in StoreBatch batch, long token) => batch.PutConsumer(stream.Stored, config.Name!, bytes, all, context.Reports, token));
    }

    // A consumer with other filters, or another subject of deliveries, is replaced.
    private static bool GoesOn(ServedConsumer known, ConsumerConfig config)
        => string.Equals(known.Config.DeliverSubject, config.DeliverSubject, StringComparison.Ordinal)
            && ConsumerRules.FiltersOf(known.Config).SequenceEqual(ConsumerRules.FiltersOf(config), StringComparer.Ordinal);

    private void EndStore(ApiRequest request, ServedStream stream, StoredConsumerConfig stored, ServedConsumer? known, ConsumerProgress progress)
    {
        ServedConsumer consumer;
        if (known is not null && GoesOn(known, stored.Config))
        {
            consumer = known;
            known.Change(stored.Config);
        }
        else
        {
            // A consumer with other filters, or another subject of deliveries, goes on from the same place.
            known?.Delete();
            consumer = new ServedConsumer(host, stream, stored, progress);
            context.AddConsumer(consumer);
        }

        if (known is null)
        {
            context.Advisories.Created(consumer);
        }

        context.Responder.Answer(request.Reply, ConsumerDescriptions.Of(consumer, context.Now), CreateKind, WireJson.Default.ConsumerInfo);
        consumer.Pump(host.Now);
    }

    private void Commit(ApiRequest request, ServedStream stream, string kind, Action stored, QueueRecord record)
    {
        long token = context.Await((_, outcome) =>
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
            host.Flush();
        });
        QueueStatus status;
        using (StoreBatch batch = stream.Store.Begin())
        {
            status = record(batch, token);
        }

        if (status == QueueStatus.Queued)
        {
            queue.Begin();
            return;
        }

        context.Forget(token);
        context.Responder.Refuse(request.Reply, StoreErrors.Of(status, stream.Store, stream.Stored), kind);
    }

    private delegate QueueStatus QueueRecord(in StoreBatch batch, long token);
}
