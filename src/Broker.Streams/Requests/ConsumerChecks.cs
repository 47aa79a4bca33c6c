using System.Text.Json;

namespace Broker.Streams;

/// <summary>Checks the requests that create and change consumers.</summary>
internal sealed class ConsumerChecks(ApiContext context)
{
    /// <summary>
    /// Reads a request to create or to change a consumer. Returns false with the error if it is not valid.
    /// </summary>
    internal bool TryReadRequest(ApiRequest request, string streamName, out ConsumerRequest body, out ServedStream stream, out ApiError? error)
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

    /// <summary>
    /// Checks the names of a request, and sets the name of the consumer. Returns null if they are valid.
    /// </summary>
    internal static ApiError? NameError(ConsumerConfig config, string name, bool isOld)
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

    /// <summary>
    /// Checks the filter in the subject of a request, which is there for permissions, so it must be that of the body.
    /// Returns null if it is valid.
    /// </summary>
    internal static ApiError? FilterError(ApiRequest request, ConsumerConfig config, bool isOld)
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

    /// <summary>Checks the change of a consumer. Returns null if it is allowed.</summary>
    internal static ApiError? UpdateError(ServedConsumer known, ConsumerConfig config, string? action)
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

    /// <summary>Checks a new consumer. Returns null if it is allowed.</summary>
    internal ApiError? CreateError(ServedStream stream, ConsumerConfig config, string? action)
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
}
