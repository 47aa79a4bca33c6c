using System.Globalization;

namespace Broker.Streams;

/// <summary>The errors of the API, with the codes and texts of nats-server where it has the error too.</summary>
internal static class ApiErrors
{
    internal static readonly ApiError BadRequest = new(400, 10003, "bad request");
    internal static readonly ApiError NoMessage = new(404, 10037, "no message found");
    internal static readonly ApiError NameMismatch = new(400, 10056, "stream name in subject does not match request");
    internal static readonly ApiError TooLarge = new(400, 10054, "message size exceeds maximum allowed");
    internal static readonly ApiError StreamExists = new(400, 10058, "stream name already in use with a different configuration");
    internal static readonly ApiError StreamNotFound = new(404, 10059, "stream not found");
    internal static readonly ApiError UnexpectedStream = new(400, 10060, "expected stream does not match");
    internal static readonly ApiError Overlap = new(400, 10065, "subjects overlap with an existing stream");
    internal static readonly ApiError Replicas = new(500, 10074, "replicas > 1 not supported in non-clustered mode");
    internal static readonly ApiError NegativeReplicas = new(400, 10133, "replicas count cannot be negative");
    internal static readonly ApiError DeleteDenied = new(500, 10057, "message delete not permitted");
    internal static readonly ApiError Sealed = new(400, 10109, "invalid operation on sealed stream");
    internal static readonly ApiError PurgeDenied = new(500, 10110, "stream purge not permitted");
    internal static readonly ApiError RollUpDenied = new(500, 10111, "rollup not permitted");
    internal static readonly ApiError InvalidTtl = new(400, 10165, "invalid per-message TTL");
    internal static readonly ApiError TtlDisabled = new(400, 10166, "per-message TTL is disabled");
    internal static readonly ApiError CounterDisabled = new(400, 10168, "message counters is disabled");
    internal static readonly ApiError BatchDisabled = new(400, 10174, "atomic publish is disabled");
    internal static readonly ApiError ScheduleDisabled = new(400, 10188, "message schedules is disabled");
    internal static readonly ApiError MissingExpectedSequence = new(400, 10193, "missing sequence for expected last sequence per subject");
    internal static readonly ApiError RequiredLevel = new(412, 10185, "JetStream minimum api level required");
    internal static readonly ApiError SnapshotRefused = new(500, 10064, "snapshots of streams are not supported");
    internal static readonly ApiError RestoreRefused = new(500, 10062, "the restore of streams from snapshots is not supported");

    internal static readonly ApiError AccountResources = new(400, 10002, "resource limits exceeded for account");
    internal static readonly ApiError TooManyConsumers = new(400, 10026, "maximum consumers limit reached");
    internal static readonly ApiError TooManyStreams = new(400, 10027, "maximum number of streams reached");
    internal static readonly ApiError NoMemory = new(500, 10028, "insufficient memory resources available");
    internal static readonly ApiError NoStorage = new(500, 10047, "insufficient storage resources available");
    internal static readonly ApiError MaxBytesRequired = new(400, 10113, "account requires a stream config to have max bytes set");
    internal static readonly ApiError MaxStreamBytes = new(400, 10122, "stream max bytes exceeds account limit max stream bytes");

    internal static readonly ApiError ConsumerNotFound = new(404, 10014, "consumer not found");
    internal static readonly ApiError ConsumerNameInUse = new(400, 10013, "consumer name already in use");
    internal static readonly ApiError NotEmpty = new(400, 10038, "expected an empty request payload");
    internal static readonly ApiError NotEnabled = new(503, 10039, "JetStream not enabled for account");
    internal static readonly ApiError ClusterRequired = new(503, 10010, "JetStream clustering support required");
    internal static readonly ApiError NamesDiffer = new(400, 10017, "consumer name in subject does not match durable name in request");

    internal static readonly ApiError NoSuchGroup = new(400, 10160, "Provided priority group does not exist for this consumer");
    internal static readonly ApiError ResetRefused = new(400, 10204, "invalid reset: resets of consumers are not supported");

    internal static ApiError NotCreated(string problem) => new(500, 10012, problem);

    internal static ApiError InvalidJson(string problem) => new(400, 10025, $"invalid JSON: {problem}");

    internal static ApiError InvalidConfig(string problem) => new(500, 10052, problem);

    internal static ApiError SequenceNotFound(ulong sequence) => new(400, 10043, string.Create(CultureInfo.InvariantCulture, $"sequence {sequence} not found"));

    internal static ApiError NotDeleted(string problem) => new(500, 10057, problem);

    internal static ApiError WrongMessageId(string last) => new(400, 10070, $"wrong last msg ID: {last}");

    internal static ApiError WrongSequence(ulong last) => new(400, 10071, string.Create(CultureInfo.InvariantCulture, $"wrong last sequence: {last}"));

    internal static ApiError RollUp(string value) => new(500, 10111, $"rollup value invalid: \"{value}\"");

    internal static ApiError AckPending(long limit) => new(400, 10121, string.Create(CultureInfo.InvariantCulture, $"consumer max ack pending exceeds system limit of {limit}"));

    internal static ApiError NotStored(string problem) => new(503, 10077, problem);
}
