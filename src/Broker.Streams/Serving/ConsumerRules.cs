using System.Text;
using System.Text.Json;
using Broker.Protocol;
using Broker.Server;

namespace Broker.Streams;

/// <summary>
/// Checks configurations of consumers and fills in the defaults. Everything that is not supported is refused by name.
/// </summary>
internal static class ConsumerRules
{
    private const int MaxDescriptionLength = 4 * 1024;
    internal const string AckNone = "none";
    internal const string AckAll = "all";
    internal const string AckExplicit = "explicit";
    internal const string DeliverAll = "all";
    internal const string DeliverLast = "last";
    internal const string DeliverNew = "new";
    internal const string FromSequence = "by_start_sequence";
    internal const string FromTime = "by_start_time";
    internal const string LastPerSubject = "last_per_subject";

    private const long Millisecond = 1_000_000;
    private const long Second = 1_000_000_000;
    private const long LeastHeartbeat = Second / 10;
    private const long DefaultAckWait = 30 * Second;
    private const long DefaultThreshold = 5 * Second;
    private const long DefaultWaiting = 512;

    internal static string[] FiltersOf(ConsumerConfig config)
        => config.FilterSubject is { } only ? [only] : [.. config.FilterSubjects ?? []];

    /// <summary>Fills in the defaults. Returns null if the configuration is valid for the stream.</summary>
    internal static ApiError? Complete(ConsumerConfig config, StreamConfig stream, AccountStreamLimits limits)
    {
        FillIn(config, stream, limits);
        return Unsupported(config) ?? NamesError(config) ?? FiltersError(config) ?? StartError(config) ?? TimesError(config) ?? AccountRules.AckPendingError(config, limits)
            ?? LimitsError(config, stream) ?? DeliveryError(config, stream);
    }

    /// <summary>Compares a complete configuration with the one before. Returns null if the change is allowed.</summary>
    internal static ApiError? Change(ConsumerConfig before, ConsumerConfig after)
    {
        if (before.DeliverSubject is null != after.DeliverSubject is null)
        {
            return ApiErrors.NotCreated(
                before.DeliverSubject is null ? "can not update pull consumer to push based" : "can not update push consumer to pull based");
        }

        string? field = true switch
        {
            _ when Differ(before.DeliverPolicy, after.DeliverPolicy) => "deliver policy",
            _ when before.OptStartSeq != after.OptStartSeq => "start sequence",
            _ when before.OptStartTime != after.OptStartTime => "start time",
            _ when Differ(before.AckPolicy, after.AckPolicy) => "ack policy",
            _ when Differ(before.ReplayPolicy, after.ReplayPolicy) => "replay policy",
            _ when before.IdleHeartbeat != after.IdleHeartbeat => "heart beats",
            _ when before.FlowControl != after.FlowControl => "flow control",
            _ when before.MaxWaiting != after.MaxWaiting => "max waiting",
            _ when before.MemStorage != after.MemStorage => "storage type",
            _ when Differ(before.DurableName, after.DurableName) => "durable name",
            _ => null,
        };
        return field is null ? null : ApiErrors.NotCreated($"{field} can not be updated");
    }

    /// <summary>Says which field has a word that it can not have; null if there is none.</summary>
    internal static string? WordsProblem(ConsumerConfig config) => config switch
    {
        { ReplayPolicy: not (null or "" or "instant" or "original") } => $"'replay_policy' can not be '{config.ReplayPolicy}'",
        { AckPolicy: not (null or "" or AckNone or AckAll or AckExplicit or "flow_control") } => $"'ack_policy' can not be '{config.AckPolicy}'",
        { DeliverPolicy: not (null or "" or DeliverAll or DeliverLast or DeliverNew or FromSequence or FromTime or LastPerSubject) }
            => $"'deliver_policy' can not be '{config.DeliverPolicy}'",
        _ => null,
    };

    private static void FillIn(ConsumerConfig config, StreamConfig stream, AccountStreamLimits limits)
    {
        config.DurableName = OrNull(config.DurableName);
        config.Name = OrNull(config.Name) ?? config.DurableName;
        config.Description = OrNull(config.Description);
        config.FilterSubject = OrNull(config.FilterSubject);
        config.FilterSubjects = config.FilterSubjects is { Count: > 0 } ? config.FilterSubjects : null;
        config.DeliverSubject = OrNull(config.DeliverSubject);
        config.DeliverGroup = OrNull(config.DeliverGroup);
        config.SampleFreq = OrNull(config.SampleFreq);
        config.PriorityPolicy = config.PriorityPolicy is "none" ? null : OrNull(config.PriorityPolicy);
        config.DeliverPolicy = OrNull(config.DeliverPolicy) ?? DeliverAll;
        config.AckPolicy = OrNull(config.AckPolicy) ?? AckNone;
        config.ReplayPolicy = OrNull(config.ReplayPolicy) ?? "instant";
        config.OptStartSeq = config.OptStartSeq is 0 ? null : config.OptStartSeq;
        config.FlowControl = config.FlowControl == true ? true : null;
        config.HeadersOnly = config.HeadersOnly == true ? true : null;
        config.MemStorage = config.MemStorage == true ? true : null;
        config.Direct = config.Direct == true ? true : null;
        config.BackOff = config.BackOff is { Count: > 0 } ? config.BackOff : null;
        config.Metadata = config.Metadata is { Count: > 0 } ? config.Metadata : null;
        config.PriorityGroups = config.PriorityGroups is { ValueKind: JsonValueKind.Array } groups && groups.GetArrayLength() == 0 ? null : config.PriorityGroups;
        config.MaxBatch = OrNull(config.MaxBatch);
        config.MaxExpires = OrNull(config.MaxExpires);
        config.MaxBytes = OrNull(config.MaxBytes);
        config.IdleHeartbeat = OrNull(config.IdleHeartbeat);
        config.PriorityTimeout = OrNull(config.PriorityTimeout);
        config.RateLimitBps = config.RateLimitBps is 0 ? null : config.RateLimitBps;
        config.PauseUntil = config.PauseUntil is { } until && until.Year > 1 ? until.ToUniversalTime() : null;
        config.OptStartTime = config.OptStartTime?.ToUniversalTime();
        FillInLimits(config, stream, limits);
    }

    private static void FillInLimits(ConsumerConfig config, StreamConfig stream, AccountStreamLimits limits)
    {
        config.AckWait = config.BackOff is { } backOff ? backOff[0] : config.AckWait is null or 0 ? DefaultAckWait : config.AckWait;
        config.MaxDeliver = OrNull(config.MaxDeliver) ?? -1;
        config.MaxWaiting = config.DeliverSubject is null ? OrNull(config.MaxWaiting) ?? DefaultWaiting : OrNull(config.MaxWaiting);
        long pending = AccountRules.AckPendingOf(stream, limits);
        config.MaxAckPending = config.AckPolicy is AckNone ? null : config.MaxAckPending is null or 0 ? pending : config.MaxAckPending;
        long threshold = stream.ConsumerLimits?.InactiveThreshold is > 0 and long limit ? limit : DefaultThreshold;
        config.InactiveThreshold = OrNull(config.InactiveThreshold) ?? (config.DurableName is null ? threshold : null);
    }

    private static ApiError? Unsupported(ConsumerConfig config)
    {
        if (config.NumReplicas is not (0 or 1))
        {
            return config.NumReplicas < 0 ? ApiErrors.NegativeReplicas : ApiErrors.Replicas;
        }

        if (config is { RateLimitBps: not null, DeliverSubject: null })
        {
            return new ApiError(400, 10086, "consumer in pull mode can not have rate limit set");
        }

        string? what = config switch
        {
            { ReplayPolicy: "original" } => $"'replay_policy' of '{config.ReplayPolicy}'",
            { AckPolicy: "flow_control" } => $"'ack_policy' of '{config.AckPolicy}'",
            { RateLimitBps: not null } => "'rate_limit_bps'",
            { SampleFreq: not null } => "'sample_freq'",
            { Direct: not null } => "'direct'",
            { PriorityGroups: not null } => "'priority_groups'",
            { PriorityPolicy: not null } => "'priority_policy'",
            { PriorityTimeout: not null } => "'priority_timeout'",
            _ => null,
        };
        return what is null ? null : ApiErrors.NotCreated($"{what} is not supported");
    }

    private static ApiError? NamesError(ConsumerConfig config)
    {
        return config.Name switch
        {
            null => null,
            var name when name.AsSpan().ContainsAny('/', '\\') => new ApiError(400, 10127, "Consumer name can not contain path separators"),
            { Length: > StreamRules.MaxNameLength } => new ApiError(400, 10102, $"consumer name is too long, maximum allowed is {StreamRules.MaxNameLength}"),
            var name when !StreamRules.IsName(name) => ApiErrors.InvalidConfig("consumer name can not contain '.', '*', '>', '\\', '/'"),
            _ when config.Description?.Length > MaxDescriptionLength => new ApiError(400, 10107, $"consumer description is too long, maximum allowed is {MaxDescriptionLength}"),
            _ => null,
        };
    }

    private static ApiError? FiltersError(ConsumerConfig config)
    {
        if (config is { FilterSubject: not null, FilterSubjects: not null })
        {
            return new ApiError(400, 10136, "consumer cannot have both FilterSubject and FilterSubjects specified");
        }

        string[] filters = FiltersOf(config);
        for (int i = 0; i < filters.Length; i++)
        {
            if (filters[i].Length == 0)
            {
                return new ApiError(400, 10139, "consumer filter in FilterSubjects cannot be empty");
            }

            // A filter may be outside of the subjects of the stream, which may get more subjects later.
            if (!Subject.IsValidFilter(Encoding.UTF8.GetBytes(filters[i])))
            {
                return ApiErrors.InvalidConfig("invalid subject");
            }

            if (filters.Take(i).Any(other => SubjectFilters.Overlap(other, filters[i])))
            {
                return new ApiError(400, 10138, "consumer subject filters cannot overlap");
            }
        }

        return null;
    }

    private static ApiError? StartError(ConsumerConfig config)
    {
        string? problem = config switch
        {
            { DeliverPolicy: FromSequence, OptStartSeq: null } => "consumer delivery policy is deliver by start sequence, but optional start sequence is not set",
            { DeliverPolicy: FromTime, OptStartTime: null } => "consumer delivery policy is deliver by start time, but optional start time is not set",
            { DeliverPolicy: not FromSequence, OptStartSeq: not null } => $"consumer delivery policy is deliver {config.DeliverPolicy!.Replace('_', ' ')}, but optional start sequence is also set",
            { DeliverPolicy: not FromTime, OptStartTime: not null } => $"consumer delivery policy is deliver {config.DeliverPolicy!.Replace('_', ' ')}, but optional start time is also set",
            { DeliverPolicy: LastPerSubject, FilterSubject: null, FilterSubjects: null } => "consumer delivery policy is deliver last per subject, but optional filter subject is not set",
            _ => null,
        };
        return problem is null ? null : new ApiError(400, 10094, problem);
    }

    private static ApiError? TimesError(ConsumerConfig config)
    {
        if (config.BackOff?.Exists(static wait => wait < 0) == true)
        {
            return new ApiError(400, 10184, "consumer backoff needs to be positive");
        }

        if (config.AckWait < 0)
        {
            return new ApiError(400, 10183, "consumer ack wait needs to be positive");
        }

        if (config.MaxExpires is < Millisecond)
        {
            return new ApiError(400, 10115, "consumer max request expires needs to be >= 1ms");
        }

        if (config.BackOff is { } backOff && config.MaxDeliver != -1 && config.MaxDeliver < backOff.Count)
        {
            return new ApiError(400, 10116, "max deliver is required to be > length of backoff values");
        }

        return null;
    }

    // The limits of the stream for its consumers.
    private static ApiError? LimitsError(ConsumerConfig config, StreamConfig stream)
    {
        if (stream.ConsumerLimits?.MaxAckPending is > 0 and int pending && config.AckPolicy is not AckNone && config.MaxAckPending > pending)
        {
            return new ApiError(400, 10121, $"consumer max ack pending exceeds system limit of {pending}");
        }

        return stream.ConsumerLimits?.InactiveThreshold is > 0 and long threshold && config.InactiveThreshold > threshold
            ? new ApiError(400, 10153, $"consumer inactive threshold exceeds system limit of {StatusTime.Of(threshold)}")
            : null;
    }

    private static ApiError? DeliveryError(ConsumerConfig config, StreamConfig stream)
    {
        if (config.DeliverSubject is not { } to)
        {
            return config switch
            {
                { IdleHeartbeat: not null } => new ApiError(400, 10088, "consumer idle heartbeat requires a push based consumer"),
                { FlowControl: true } => new ApiError(400, 10089, "consumer flow control requires a push based consumer"),
                _ => null,
            };
        }

        return true switch
        {
            _ when !Subject.IsValidFilter(Encoding.UTF8.GetBytes(to)) => new ApiError(400, 10112, "invalid push consumer deliver subject"),
            _ when !Subject.IsValidLiteral(Encoding.UTF8.GetBytes(to)) => new ApiError(400, 10079, "consumer deliver subject has wildcards"),
            _ when stream.Subjects!.Exists(subject => SubjectFilters.Overlap(subject, to)) => new ApiError(400, 10081, "consumer deliver subject forms a cycle"),
            _ when config.MaxWaiting is not null => new ApiError(400, 10080, "consumer in push mode can not set max waiting"),
            _ when config.IdleHeartbeat is < LeastHeartbeat => new ApiError(400, 10083, "consumer idle heartbeat needs to be >= 100ms"),
            _ when config.FlowControl == true && config.IdleHeartbeat is null => new ApiError(400, 10108, "consumer with flow control also needs heartbeats"),
            _ => null,
        };
    }

    /// <summary>A time in ticks; 0 if there is none.</summary>
    internal static long Ticks(long? nanoseconds) => (nanoseconds ?? 0) / TimeSpan.NanosecondsPerTick;

    private static bool Differ(string? one, string? other) => !string.Equals(one, other, StringComparison.Ordinal);

    private static string? OrNull(string? text) => string.IsNullOrEmpty(text) ? null : text;

    // In the API, 0 and all negative numbers mean the default for most fields.
    private static long? OrNull(long? number) => number is <= 0 ? null : number;
}
