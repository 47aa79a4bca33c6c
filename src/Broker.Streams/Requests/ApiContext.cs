using System.Globalization;
using System.Text.Json;
using System.Text.Json.Serialization.Metadata;
using Broker.Server;
using Broker.Transport;

namespace Broker.Streams;

/// <summary>The parts of an account that requests use. All of them belong to the account's loop.</summary>
internal sealed record ApiContext
{
    internal required MessageTarget Input { get; init; }

    internal required AccountStreamLimits Limits { get; init; }

    internal required StreamTable Streams { get; init; }

    internal required StreamStores Stores { get; init; }

    internal required PendingReplies Pending { get; init; }

    internal required StoreReports Reports { get; init; }

    internal required Responder Responder { get; init; }

    internal required ReadWorker Reads { get; init; }

    /// <summary>Adds a consumer that is created, or that was found at the start.</summary>
    internal required Action<ServedConsumer> AddConsumer { get; init; }

    /// <summary>Reads the time, in UTC.</summary>
    internal required TimeProvider Clock { get; init; }

    internal EventLoop Loop => Input.Loop;

    internal Advisories Advisories => field ??= new Advisories(Responder, Clock);

    internal DateTime Now => Clock.GetUtcNow().UtcDateTime;

    /// <summary>
    /// Creates a token for the store. The action runs on the loop when the record is on the disk, or not.
    /// </summary>
    internal long Await(Action<ulong, StoreOutcome> completed)
    {
        PendingReply pending = Pending.Rent([]);
        pending.Completed = completed;
        return Pending.Add(pending);
    }

    /// <summary>Forgets a token whose record was not queued.</summary>
    internal void Forget(long token) => Pending.Return(Pending.Take(token));

    /// <summary>Reads a body, which may be empty.</summary>
    internal static bool TryRead<T>(ApiRequest request, JsonTypeInfo<T> type, T empty, out T body, out ApiError? error)
        where T : class
    {
        body = empty;
        error = null;
        if (request.Body.Length == 0)
        {
            return true;
        }

        try
        {
            body = JsonSerializer.Deserialize(request.Body, type) ?? empty;
            return true;
        }
        catch (JsonException e)
        {
            error = ApiErrors.InvalidJson(ProblemOf(e, request.Body, type));
            return false;
        }
    }

    /// <summary>Says what is wrong in a body. The text for unknown fields is that of nats-server.</summary>
    private static string ProblemOf(JsonException e, byte[] body, JsonTypeInfo type)
    {
        try
        {
            using var document = JsonDocument.Parse(body);
            return UnknownField(document.RootElement, type) is { } name
                ? $"json: unknown field \"{name}\""
                : $"the value of '{e.Path}' has a wrong type, or is out of range";
        }
        catch (JsonException)
        {
            return string.Create(CultureInfo.InvariantCulture, $"the body is not valid JSON at byte {e.BytePositionInLine} of line {e.LineNumber + 1}");
        }
    }

    private static string? UnknownField(JsonElement body, JsonTypeInfo type)
    {
        if (body.ValueKind != JsonValueKind.Object || type.Kind != JsonTypeInfoKind.Object)
        {
            return null;
        }

        foreach (JsonProperty field in body.EnumerateObject())
        {
            JsonPropertyInfo? known = type.Properties.FirstOrDefault(property => field.NameEquals(property.Name));
            string? unknown = known is null ? field.Name : UnknownField(field.Value, type.Options.GetTypeInfo(known.PropertyType));
            if (unknown is not null)
            {
                return unknown;
            }
        }

        return null;
    }
}
