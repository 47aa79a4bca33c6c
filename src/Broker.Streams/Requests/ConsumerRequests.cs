using System.Text.Json;

namespace Broker.Streams;

/// <summary>Answers the requests about consumers.</summary>
internal sealed class ConsumerRequests(ApiContext context, ManagementQueue queue, ConsumerHost host)
{
    private const string CreateKind = "consumer_create_response";
    private const string DeleteKind = "consumer_delete_response";
    private const string InfoKind = "consumer_info_response";
    private const string PauseKind = "consumer_pause_response";
    private const string ResetKind = "consumer_reset_response";
    private const string UnpinKind = "consumer_unpin_response";
    private const int NamesLimit = 1024;
    private const int InfosLimit = 256;

    /// <summary>Answers a request. The tokens after <c>CONSUMER</c> decide which one it is.</summary>
    internal void Handle(ApiRequest request)
    {
        switch (request.Token(1), request.Tokens.Length)
        {
            case ("CREATE", >= 3):
                queue.Add(request, Create);
                break;
            case ("DURABLE", 5) when request.Token(2) is "CREATE":
                queue.Add(request, Create);
                break;
            case ("DELETE", 4):
                queue.Add(request, Delete);
                break;
            case ("PAUSE", 4):
                queue.Add(request, Pause);
                break;
            case ("RESET", 4):
                if (TryFind(request, ResetKind, out _))
                {
                    context.Responder.Refuse(request.Reply, ApiErrors.ResetRefused, ResetKind);
                }

                break;
            case ("UNPIN", 4):
                Unpin(request);
                break;
            case ("LEADER", 5) when request.Token(2) is "STEPDOWN":
                context.Responder.Refuse(request.Reply, ApiErrors.ClusterRequired, "consumer_leader_stepdown_response");
                break;
            case ("INFO", 4):
                Info(request);
                break;
            case ("LIST", 3):
                List(request);
                break;
            case ("NAMES", 3):
                Names(request);
                break;
        }
    }

    /// <summary>Handles a request for messages.</summary>
    internal void Next(ReadOnlySpan<byte> operation, ReadOnlySpan<byte> reply, ReadOnlySpan<byte> body)
    {
        int dot = operation.IndexOf((byte)'.');
        ServedConsumer? consumer = dot < 0 ? null : context.Streams.Find(operation[..dot])?.FindConsumer(operation[(dot + 1)..]);
        if (consumer is null)
        {
            context.Responder.PublishStatus(reply, "NATS/1.0 503\r\n\r\n"u8);
            return;
        }

        consumer.Pull(reply, body);
    }

    internal ConsumerInfo Describe(ServedConsumer consumer) => Describe(consumer, withConfiguration: true);

    internal ConsumerInfo Describe(ServedConsumer consumer, bool withConfiguration)
    {
        long paused = consumer.PausedUntil;
        return new ConsumerInfo
        {
            StreamName = consumer.Stream.Name,
            Name = consumer.Name,
            Created = consumer.Created,
            Config = withConfiguration ? consumer.Config : null,
            Delivered = new SequencePair
            {
                ConsumerSeq = consumer.Progress.Deliveries,
                StreamSeq = consumer.Progress.Delivered,
                LastActive = TimeOf(consumer.LastDelivery),
            },
            AckFloor = new SequencePair
            {
                ConsumerSeq = consumer.Progress.DeliveryFloor,
                StreamSeq = consumer.Progress.Floor,
                LastActive = TimeOf(consumer.LastAcknowledgement),
            },
            NumAckPending = consumer.Progress.Pending.Count,
            NumRedelivered = consumer.Redelivered,
            NumWaiting = consumer.Waiting,
            NumPending = consumer.Undelivered,
            PushBound = consumer.IsBound ? true : null,
            Paused = paused == 0 ? null : true,
            PauseRemaining = paused == 0 ? null : (paused - host.Now) * TimeSpan.NanosecondsPerTick,
            Ts = context.Now,
        };
    }

    private static DateTime? TimeOf(long ticks) => ticks == 0 ? null : new DateTime(ticks, DateTimeKind.Utc);

    private void Create(ApiRequest request)
    {
        bool isOld = request.Token(1) is "DURABLE";
        string streamName = request.Token(isOld ? 3 : 2);
        if (!TryReadRequest(request, streamName, out ConsumerRequest body, out ServedStream stream, out ApiError? error))
        {
            context.Responder.Refuse(request.Reply, error!, CreateKind);
            return;
        }

        ConsumerConfig config = body.Config!;
        string name = request.Token(isOld ? 4 : 3);
        error = NameError(config, name, isOld) ?? ConsumerRules.Complete(config, stream.Config, context.Limits) ?? FilterError(request, config, isOld);
        if (error is null)
        {
            config.Name ??= NewName();
            error = stream.Consumers.TryGetValue(config.Name, out ServedConsumer? known)
                ? UpdateError(known, config, body.Action)
                : CreateError(stream, config, body.Action);
        }

        if (error is not null)
        {
            context.Responder.Refuse(request.Reply, error, CreateKind);
            return;
        }

        Store(request, stream, config);
    }

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

        byte[] bytes = JsonSerializer.SerializeToUtf8Bytes(stored, WireJson.Default.StoredConsumerConfig);
        Commit(
            request, stream, CreateKind, () => EndStore(request, stream, stored, known, written),
            (in StoreBatch batch, long token) => batch.PutConsumer(stream.Stored, config.Name!, bytes, written.ToArray(), context.Reports, token));
    }

    private void EndStore(ApiRequest request, ServedStream stream, StoredConsumerConfig stored, ServedConsumer? known, ConsumerProgress progress)
    {
        ServedConsumer consumer;
        bool isSame = known is not null && string.Equals(known.Config.DeliverSubject, stored.Config.DeliverSubject, StringComparison.Ordinal)
            && ConsumerRules.FiltersOf(known.Config).SequenceEqual(ConsumerRules.FiltersOf(stored.Config), StringComparer.Ordinal);
        if (known is not null && isSame)
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

        context.Responder.Answer(request.Reply, Describe(consumer), CreateKind, WireJson.Default.ConsumerInfo);
        consumer.Pump(host.Now);
    }

    private void Delete(ApiRequest request)
    {
        if (TryFindWithoutBody(request, DeleteKind, out ServedConsumer consumer))
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

    private void Pause(ApiRequest request)
    {
        if (!ApiContext.TryRead(request, WireJson.Default.StreamRequest, new StreamRequest(), out StreamRequest body, out ApiError? error))
        {
            context.Responder.Refuse(request.Reply, error!, PauseKind);
            return;
        }

        if (!TryFind(request, PauseKind, out ServedConsumer consumer))
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
            (in StoreBatch batch, long token) => batch.PutConsumer(consumer.Stream.Stored, consumer.Name, bytes, consumer.Progress.ToArray(), context.Reports, token));
    }

    // No consumer has groups.
    private void Unpin(ApiRequest request)
    {
        if (!ApiContext.TryRead(request, WireJson.Default.StreamRequest, new StreamRequest(), out StreamRequest _, out ApiError? error))
        {
            context.Responder.Refuse(request.Reply, error!, UnpinKind);
        }
        else if (TryFind(request, UnpinKind, out _))
        {
            context.Responder.Refuse(request.Reply, ApiErrors.NoSuchGroup, UnpinKind);
        }
    }

    private void Info(ApiRequest request)
    {
        if (TryFindWithoutBody(request, InfoKind, out ServedConsumer consumer))
        {
            context.Responder.Answer(request.Reply, Describe(consumer), InfoKind, WireJson.Default.ConsumerInfo);
        }
    }

    private void List(ApiRequest request)
    {
        const string Kind = "consumer_list_response";
        if (TryPage(request, Kind, out ServedStream stream, out int offset))
        {
            var answer = new ConsumerListAnswer
            {
                Total = stream.Consumers.Count,
                Offset = offset,
                Limit = InfosLimit,
                Consumers = [.. stream.InOrder().Skip(offset).Take(InfosLimit).Select(Describe)],
            };
            context.Responder.Answer(request.Reply, answer, Kind, WireJson.Default.ConsumerListAnswer);
        }
    }

    private void Names(ApiRequest request)
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

    private static ApiError? NameError(ConsumerConfig config, string name, bool isOld)
    {
        if (isOld && string.IsNullOrEmpty(config.DurableName))
        {
            return new ApiError(400, 10018, "consumer expected to be durable but a durable name was not set");
        }

        if (name.Length == 0 && !string.IsNullOrEmpty(config.DurableName))
        {
            return new ApiError(400, 10020, "consumer expected to be ephemeral but a durable name was set in request");
        }

        if (name.Length > 0)
        {
            if (!string.IsNullOrEmpty(config.DurableName) && !string.Equals(config.DurableName, name, StringComparison.Ordinal))
            {
                return ApiErrors.NamesDiffer;
            }

            // The name in the subject is the one that permissions are about.
            config.Name = name;
        }

        return null;
    }

    // The filter in the subject is there for permissions, so it must be that of the body.
    private static ApiError? FilterError(ApiRequest request, ConsumerConfig config, bool isOld)
    {
        if (isOld || request.Tokens.Length <= 4)
        {
            return null;
        }

        if (config.FilterSubjects is { Count: > 0 })
        {
            return new ApiError(400, 10137, "consumer with multiple subject filters cannot use subject based API");
        }

        string filter = string.Join('.', request.Tokens[4..]);
        return string.Equals(filter, config.FilterSubject, StringComparison.Ordinal)
            ? null
            : new ApiError(400, 10131, "Consumer create request did not match filtered subject from create subject");
    }

    private static ApiError? UpdateError(ServedConsumer known, ConsumerConfig config, string? action)
    {
        bool isSame = JsonSerializer.SerializeToUtf8Bytes(known.Config, WireJson.Default.ConsumerConfig).AsSpan()
            .SequenceEqual(JsonSerializer.SerializeToUtf8Bytes(config, WireJson.Default.ConsumerConfig));
        if (action is "create" && !isSame)
        {
            return new ApiError(400, 10148, "consumer already exists");
        }

        if (isSame)
        {
            return null;
        }

        // Somebody receives the messages, so another program that uses the name would take them away.
        bool isMoved = !string.Equals(known.Config.DeliverSubject, config.DeliverSubject, StringComparison.Ordinal);
        return ConsumerRules.Change(known.Config, config) ?? (isMoved && known.IsBound ? ApiErrors.ConsumerNameInUse : null);
    }

    private ApiError? CreateError(ServedStream stream, ConsumerConfig config, string? action)
    {
        if (action is "update")
        {
            return new ApiError(400, 10149, "consumer does not exist");
        }

        if (stream.Consumers.Count >= AccountRules.MaxConsumersOf(stream.Config, context.Limits))
        {
            return ApiErrors.TooManyConsumers;
        }

        return stream.Config.Retention is StreamRules.WorkQueueRetention ? WorkQueueError(stream, config) : null;
    }

    private static ApiError? WorkQueueError(ServedStream stream, ConsumerConfig config)
    {
        if (config.AckPolicy is not ConsumerRules.AckExplicit)
        {
            return config is { AckPolicy: ConsumerRules.AckNone, DeliverSubject: null }
                ? new ApiError(400, 10084, "consumer in pull mode requires explicit ack policy on workqueue stream")
                : new ApiError(400, 10098, "workqueue stream requires explicit ack");
        }

        if (config.DeliverPolicy is not ConsumerRules.DeliverAll)
        {
            return new ApiError(400, 10101, "consumer must be deliver all on workqueue stream");
        }

        string[] filters = ConsumerRules.FiltersOf(config);
        foreach (ServedConsumer other in stream.Consumers.Values)
        {
            if (filters.Length == 0 || other.Filters.Length == 0)
            {
                return new ApiError(400, 10099, "multiple non-filtered consumers not allowed on workqueue stream");
            }

            if (filters.Any(filter => other.Filters.Any(theirs => SubjectFilters.Overlap(filter, theirs))))
            {
                return new ApiError(400, 10100, "filtered consumer not unique on workqueue stream");
            }
        }

        return null;
    }

    private static string NewName() => Guid.NewGuid().ToString("N")[..8];

    private bool TryReadRequest(ApiRequest request, string streamName, out ConsumerRequest body, out ServedStream stream, out ApiError? error)
    {
        body = new ConsumerRequest();
        bool isKnown = context.Streams.TryGet(streamName, out ServedStream? found);
        stream = found!;
        if (ApiContext.TryRead(request, WireJson.Default.ConsumerRequest, body, out body, out error))
        {
            body.Config ??= new ConsumerConfig();
            error = true switch
            {
                _ when body.Action is not (null or "" or "create" or "update") => ApiErrors.InvalidJson($"'action' can not be '{body.Action}'"),
                _ when ConsumerRules.WordsProblem(body.Config) is { } problem => ApiErrors.InvalidJson(problem),
                _ when !string.Equals(body.StreamName, streamName, StringComparison.Ordinal) => ApiErrors.NameMismatch,
                _ when !isKnown => ApiErrors.StreamNotFound,
                _ => null,
            };
        }

        return error is null;
    }

    private bool TryFindWithoutBody(ApiRequest request, string kind, out ServedConsumer consumer)
    {
        if (request.IsEmpty)
        {
            return TryFind(request, kind, out consumer);
        }

        consumer = null!;
        context.Responder.Refuse(request.Reply, ApiErrors.NotEmpty, kind);
        return false;
    }

    private bool TryFind(ApiRequest request, string kind, out ServedConsumer consumer)
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
