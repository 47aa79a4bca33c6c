using System.Buffers;
using System.Text;
using System.Text.Json;
using Broker.Protocol;

namespace Broker.Streams;

/// <summary>
/// Checks configurations of streams and fills in the defaults. Everything that is not supported is refused by name.
/// </summary>
internal static class StreamRules
{
    internal const string File = "file";
    internal const string Memory = "memory";
    internal const string DiscardNew = "new";
    internal const string DiscardOld = "old";
    internal const string LimitsRetention = "limits";
    internal const string InterestRetention = "interest";
    internal const string WorkQueueRetention = "workqueue";

    private const long Millisecond = 1_000_000;
    private const long LeastAge = 100 * Millisecond;
    private const long Second = 1000 * Millisecond;
    private const long DefaultWindow = 120 * 1000 * Millisecond;
    internal const int MaxNameLength = 255;
    private const int MostReplicas = 5;
    private const int MaxDescriptionLength = 4 * 1024;
    private const int MaxMetadataLength = 128 * 1024;

    // Subjects of requests, which a stream must not take.
    private static readonly string[] Requests = ["$JS.API.>", "$JS.ACK.>", "$JS.FC.>", "$SYS.REQ.>"];

    // Subjects that the API and the server use themselves, and the events among them that a stream may have.
    private static readonly (string All, string Events)[] Reserved = [("$JS.>", "$JS.EVENT.>"), ("$SYS.>", "$SYS.ACCOUNT.>")];

    // A name is a token of subjects and a name of files for tools.
    private static readonly SearchValues<char> NotInNames = SearchValues.Create(" \t\r\n\f\0.*>/\\");

    /// <summary>Whether a name can be that of a stream or consumer.</summary>
    internal static bool IsName(string name) => name.Length is > 0 and <= MaxNameLength && !name.AsSpan().ContainsAny(NotInNames);

    /// <summary>Fills in the defaults. Returns null if the configuration is valid.</summary>
    internal static ApiError? Complete(StreamConfig config)
    {
        FillIn(config);
        return WordsError(config) ?? NamesError(config) ?? Unsupported(config) ?? LimitsError(config) ?? SubjectsError(config);
    }

    /// <summary>Compares a complete configuration with the one before. Returns null if the change is allowed.</summary>
    internal static ApiError? Change(StreamConfig before, StreamConfig after)
    {
        string? problem = (before, after) switch
        {
            _ when Differ(before.Storage, after.Storage) => "stream configuration update can not change storage type",
            _ when Differ(before.Retention, after.Retention) && (before.Retention is WorkQueueRetention || after.Retention is WorkQueueRetention)
                => "stream configuration update can not change retention policy to/from workqueue",
            _ when Differ(before.Retention, after.Retention) => "stream configuration update can not change retention policy",
            _ when before.Sealed && !after.Sealed => "stream configuration update can not unseal a sealed stream",
            _ when before.DenyDelete && !after.DenyDelete => "stream configuration update can not cancel deny message deletes",
            _ when before.DenyPurge && !after.DenyPurge => "stream configuration update can not cancel deny purge",
            _ when before.AllowMsgTtl == true && after.AllowMsgTtl != true => "message TTL status can not be disabled",
            _ => null,
        };
        return problem is null ? null : ApiErrors.InvalidConfig(problem);
    }

    internal static StreamLimits LimitsOf(StreamConfig config)
    {
        bool keepsOld = config.Discard is DiscardNew;
        return new StreamLimits
        {
            MaxMessages = keepsOld ? 0 : Math.Max(config.MaxMsgs, 0),
            MaxBytes = keepsOld ? 0 : Math.Max(config.MaxBytes, 0),
            MaxAge = TimeSpan.FromTicks(config.MaxAge / TimeSpan.NanosecondsPerTick),
            MaxPerSubject = config.DiscardNewPerSubject == true ? 0 : (int)Math.Clamp(config.MaxMsgsPerSubject, 0, int.MaxValue),
        };
    }

    private static void FillIn(StreamConfig config)
    {
        if (config.Sealed)
        {
            // Nothing is stored in a sealed stream, and nothing leaves it.
            config.Discard = DiscardNew;
            config.MaxAge = 0;
            config.DenyDelete = config.DenyPurge = true;
            config.AllowRollupHdrs = false;
        }

        config.Retention ??= LimitsRetention;
        config.Discard ??= DiscardOld;
        config.Storage ??= File;
        config.Compression = string.IsNullOrEmpty(config.Compression) ? "none" : config.Compression;
        config.Subjects = config.Subjects is { Count: > 0 } ? config.Subjects : [config.Name];
        config.MaxConsumers = OrUnlimited(config.MaxConsumers);
        config.MaxMsgs = OrUnlimited(config.MaxMsgs);
        config.MaxBytes = OrUnlimited(config.MaxBytes);
        config.MaxMsgsPerSubject = OrUnlimited(config.MaxMsgsPerSubject);
        config.MaxMsgSize = OrUnlimited(config.MaxMsgSize);
        config.NumReplicas = config.NumReplicas == 0 ? 1 : config.NumReplicas;
        config.ConsumerLimits ??= new ConsumerLimits();
        config.DiscardNewPerSubject = OrNull(config.DiscardNewPerSubject);
        config.NoAck = OrNull(config.NoAck);
        config.AllowMsgTtl = OrNull(config.AllowMsgTtl);
        config.AllowMsgCounter = OrNull(config.AllowMsgCounter);
        config.AllowAtomic = OrNull(config.AllowAtomic);
        config.AllowBatched = OrNull(config.AllowBatched);
        config.AllowMsgSchedules = OrNull(config.AllowMsgSchedules);
        config.SubjectDeleteMarkerTtl = config.SubjectDeleteMarkerTtl is 0 ? null : config.SubjectDeleteMarkerTtl;
        if (config.SubjectDeleteMarkerTtl > 0)
        {
            // A marker has a time to live and replaces what was there.
            config.AllowMsgTtl = true;
            config.AllowRollupHdrs = true;
            config.DenyPurge = false;
        }

        config.FirstSeq = config.FirstSeq is 0 ? null : config.FirstSeq;
        config.Description = string.IsNullOrEmpty(config.Description) ? null : config.Description;
        config.TemplateOwner = string.IsNullOrEmpty(config.TemplateOwner) ? null : config.TemplateOwner;
        config.PersistMode = string.IsNullOrEmpty(config.PersistMode) || config.PersistMode is "default" ? null : config.PersistMode;
        config.Metadata = config.Metadata is { Count: > 0 } ? config.Metadata : null;
        config.Sources = config.Sources is { ValueKind: JsonValueKind.Array } sources && sources.GetArrayLength() == 0 ? null : config.Sources;
        if (config.DuplicateWindow == 0)
        {
            config.DuplicateWindow = config.MaxAge > 0 ? Math.Min(config.MaxAge, DefaultWindow) : DefaultWindow;
        }
    }

    private static ApiError? NamesError(StreamConfig config)
    {
        if (!IsName(config.Name))
        {
            return NameError(config.Name);
        }

        if (config.Description?.Length > MaxDescriptionLength)
        {
            return ApiErrors.InvalidConfig($"stream description is too long, maximum allowed is {MaxDescriptionLength}");
        }

        return config.Metadata?.Sum(static pair => pair.Key.Length + pair.Value.Length) > MaxMetadataLength
            ? ApiErrors.InvalidConfig("stream metadata exceeds maximum size of 128 KB")
            : null;
    }

    private static ApiError NameError(string name) => true switch
    {
        _ when name.AsSpan().ContainsAny('/', '\\') => new ApiError(400, 10128, "Stream name can not contain path separators"),
        _ when name.Length > MaxNameLength => ApiErrors.InvalidConfig($"stream name is too long, maximum allowed is {MaxNameLength}"),
        _ => ApiErrors.InvalidConfig("stream name is required and can not contain '.', '*', '>', '\\', '/'"),
    };

    // The values of these fields are words, so another word is wrong JSON for nats-server.
    private static ApiError? WordsError(StreamConfig config)
    {
        string? what = config switch
        {
            { Compression: not ("none" or "s2") } => $"'compression' can not be '{config.Compression}'",
            { Retention: not (LimitsRetention or InterestRetention or WorkQueueRetention) } => $"'retention' can not be '{config.Retention}'",
            { Storage: not (File or Memory) } => $"'storage' can not be '{config.Storage}'",
            { Discard: not (DiscardOld or DiscardNew) } => $"'discard' can not be '{config.Discard}'",
            { PersistMode: not (null or "async") } => $"'persist_mode' can not be '{config.PersistMode}'",
            _ => null,
        };
        return what is null ? null : ApiErrors.InvalidJson(what);
    }

    private static ApiError? Unsupported(StreamConfig config)
    {
        if (config.NumReplicas != 1)
        {
            return config.NumReplicas switch
            {
                < 0 => ApiErrors.NegativeReplicas,
                > MostReplicas => ApiErrors.InvalidConfig($"maximum replicas is {MostReplicas}"),
                _ => ApiErrors.Replicas,
            };
        }

        string? what = config switch
        {
            { Mirror: not null } => "'mirror'",
            { Sources: not null } => "'sources'",
            { Placement: not null } => "'placement'",
            { SubjectTransform: not null } => "'subject_transform'",
            { RePublish: not null } => "'republish'",
            { TemplateOwner: not null } => "'template_owner'",
            { PersistMode: not null } => "'persist_mode' other than 'default'",
            { MirrorDirect: true } => "'mirror_direct'",
            { AllowMsgCounter: not null } => "'allow_msg_counter'",
            { AllowAtomic: not null } => "'allow_atomic'",
            { AllowBatched: not null } => "'allow_batched'",
            { AllowMsgSchedules: not null } => "'allow_msg_schedules'",
            { Compression: not "none" } => $"'compression' of '{config.Compression}'",
            _ => null,
        };
        return what is null ? null : ApiErrors.InvalidConfig($"{what} is not supported");
    }

    private static ApiError? LimitsError(StreamConfig config)
    {
        string? problem = config switch
        {
            { MaxAge: < 0 } => "max age can not be negative",
            { MaxAge: > 0 and < LeastAge } => "max age needs to be >= 100ms",
            { DuplicateWindow: < 0 } => "duplicates window can not be negative",
            { DuplicateWindow: < LeastAge } => "duplicates window needs to be >= 100ms",
            { MaxAge: > 0 } when config.DuplicateWindow > config.MaxAge => "duplicates window can not be larger then max age",
            { SubjectDeleteMarkerTtl: < 0 } => "subject delete marker TTL must not be negative",
            { SubjectDeleteMarkerTtl: < Second } => "subject delete marker TTL must be at least 1 second",
            { AllowRollupHdrs: true, DenyPurge: true } => "roll-ups require the purge permission",
            { DiscardNewPerSubject: true, Discard: not DiscardNew } => "discard new per subject requires discard new policy to be set",
            { DiscardNewPerSubject: true, MaxMsgsPerSubject: <= 0 } => "discard new per subject requires max msgs per subject > 0",
            { FirstSeq: > long.MaxValue } => "first sequence must be a number of 63 bits",
            _ => null,
        };
        return problem is null ? null : ApiErrors.InvalidConfig(problem);
    }

    private static ApiError? SubjectsError(StreamConfig config)
    {
        List<string> subjects = config.Subjects!;
        for (int i = 0; i < subjects.Count; i++)
        {
            byte[] subject = Encoding.UTF8.GetBytes(subjects[i]);
            if (!Subject.IsValidFilter(subject))
            {
                return ApiErrors.InvalidConfig($"'{subjects[i]}' is not a valid subject");
            }

            if (subjects.Take(i).FirstOrDefault(other => SubjectFilters.Overlap(other, subjects[i])) is { } other)
            {
                return ApiErrors.InvalidConfig($"subject \"{other}\" overlaps with \"{subjects[i]}\"");
            }

            string? used = Array.Find(Requests, request => SubjectFilters.Overlap(subjects[i], request))
                ?? Reserved.FirstOrDefault(reserved => SubjectFilters.IsSubset(subjects[i], reserved.All) && !SubjectFilters.IsSubset(subjects[i], reserved.Events)).All;
            if (used is not null)
            {
                return ApiErrors.InvalidConfig($"subject \"{subjects[i]}\" overlaps with \"{used}\", which the server uses");
            }
        }

        return null;
    }

    private static bool Differ(string? one, string? other) => !string.Equals(one, other, StringComparison.Ordinal);

    private static long OrUnlimited(long value) => value <= 0 ? -1 : value;

    private static int OrUnlimited(int value) => value <= 0 ? -1 : value;

    private static bool? OrNull(bool? value) => value == true ? true : null;
}
