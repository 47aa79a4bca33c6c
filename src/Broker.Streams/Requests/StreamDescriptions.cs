using System.Text;

namespace Broker.Streams;

/// <summary>Describes streams for answers.</summary>
internal static class StreamDescriptions
{
    /// <summary>The most subjects in one answer.</summary>
    internal const int MaxSubjects = 100_000;

    internal static StreamInfo Of(ApiContext context, ServedStream stream, bool? isNew = null) => new()
    {
        Config = stream.Config,
        Created = stream.Created,
        State = StateOf(stream, stream.Store.Summarize(stream.Stored), null),
        Domain = context.Responder.Domain,
        Ts = context.Now,
        DidCreate = isNew,
    };

    /// <summary>Describes a stream with its subjects or deleted messages.</summary>
    internal static StreamInfo Of(ApiContext context, ServedStream stream, StreamRequest details)
    {
        StreamSummary summary = stream.Store.Summarize(stream.Stored, details.DeletedDetails);
        if (details.SubjectsFilter is not { Length: > 0 } filter)
        {
            return new StreamInfo
            {
                Config = stream.Config,
                Created = stream.Created,
                State = StateOf(stream, summary, null),
                Domain = context.Responder.Domain,
                Ts = context.Now,
            };
        }

        List<(byte[] Subject, long Count)> all = stream.Store.SubjectsOf(stream.Stored, Encoding.UTF8.GetBytes(filter));
        int offset = Math.Clamp(details.Offset, 0, all.Count);
        var subjects = all.Skip(offset).Take(MaxSubjects).ToDictionary(static pair => Encoding.UTF8.GetString(pair.Subject), static pair => pair.Count, StringComparer.Ordinal);
        return new StreamInfo
        {
            Total = all.Count,
            Offset = offset,
            Limit = MaxSubjects,
            Config = stream.Config,
            Created = stream.Created,
            State = StateOf(stream, summary, subjects),
            Domain = context.Responder.Domain,
            Ts = context.Now,
        };
    }

    internal static StreamState StateOf(ServedStream stream, StreamSummary summary, Dictionary<string, long>? subjects)
    {
        long deleted = summary.Messages == 0 ? 0 : (long)(summary.Last - summary.First + 1) - summary.Messages;
        return new StreamState
        {
            Messages = summary.Messages,
            Bytes = summary.Bytes,
            FirstSeq = summary.First,
            FirstTs = new DateTime(summary.FirstTime, DateTimeKind.Utc),
            LastSeq = summary.Last,
            LastTs = new DateTime(summary.LastTime, DateTimeKind.Utc),
            NumSubjects = summary.Subjects,
            Subjects = subjects,
            NumDeleted = deleted > 0 ? deleted : null,
            ConsumerCount = stream.Consumers.Count,
            Deleted = summary.Deleted is { Count: > 0 } list ? list : null,
        };
    }
}
