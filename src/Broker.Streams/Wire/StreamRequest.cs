using System.Text.Json.Serialization;

namespace Broker.Streams;

/// <summary>
/// The bodies of requests about streams, which have few fields. A field that is absent has its default.
/// </summary>
[JsonUnmappedMemberHandling(JsonUnmappedMemberHandling.Disallow)]
internal sealed class StreamRequest
{
    public int Offset { get; init; }

    public string? Subject { get; init; }

    public bool DeletedDetails { get; init; }

    public string? SubjectsFilter { get; init; }

    public string? Filter { get; init; }

    public ulong Seq { get; init; }

    public ulong Keep { get; init; }

    public bool NoErase { get; init; }

    public string? LastBySubj { get; init; }

    public string? NextBySubj { get; init; }

    public List<string>? MultiLast { get; init; }

    public int Batch { get; init; }

    public long MaxBytes { get; init; }

    public ulong UpToSeq { get; init; }

    public DateTimeOffset? UpToTime { get; init; }

    public DateTimeOffset? StartTime { get; init; }

    /// <summary>When a paused consumer goes on.</summary>
    public DateTimeOffset? PauseUntil { get; init; }

    public bool NoHdr { get; init; }

    /// <summary>The group of clients of a consumer.</summary>
    public string? Group { get; init; }
}
