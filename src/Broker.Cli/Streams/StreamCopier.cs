using System.Runtime.CompilerServices;
using Broker.Client;
using Broker.Client.Streams;

namespace Broker.Cli.Streams;

/// <summary>
/// Copies a stream by its messages. Sequences stay the same: messages that the source no longer has are replaced by
/// placeholders, which are removed at the end.
/// </summary>
/// <param name="source">The server that has the stream.</param>
/// <param name="target">The server that gets it.</param>
/// <param name="from">The stream of the source.</param>
internal sealed class StreamCopier(StreamsClient source, StreamsClient target, StreamInfo from)
{
    private const int MostInFlight = 512;

    // The shortest one that a server accepts, so that a message id which the source has twice is stored twice.
    private static readonly TimeSpan ShortestWindow = TimeSpan.FromMilliseconds(100);
    private static readonly string[] Conditions =
        ["Nats-Expected-Stream", "Nats-Expected-Last-Sequence", "Nats-Expected-Last-Subject-Sequence", "Nats-Expected-Last-Subject-Sequence-Subject", "Nats-Expected-Last-Msg-Id"];

    private readonly Queue<(ulong Sequence, Task<PublishAck> Ack)> _inFlight = new();
    private readonly string _placeholders = $"_COPY.{Guid.NewGuid():N}";
    private ulong _next = Math.Max(from.State.FirstSequence, 1);

    /// <summary>The number of copied messages.</summary>
    public long Copied { get; private set; }

    /// <summary>The number of messages that the source has.</summary>
    public long Total => (long)from.State.Messages;

    /// <summary>The number of sequences without a message.</summary>
    public long Placeholders { get; private set; }

    /// <summary>Whether the new stream was created.</summary>
    public bool HasCreated { get; private set; }

    /// <summary>The options of the source that the copy does not have.</summary>
    public IReadOnlyList<string> Lost { get; } =
    [
        .. from.Config.Replicas > 1 ? ["replicas"] : Array.Empty<string>(),
        .. from.Config.Placement is not null ? ["placement"] : Array.Empty<string>(),
        .. from.Config.Sources is not null ? ["sources"] : Array.Empty<string>(),
        .. from.Config.Republish is not null ? ["republish"] : Array.Empty<string>(),
        .. from.Config.SubjectTransform is not null ? ["subject_transform"] : Array.Empty<string>(),
    ];

    /// <summary>Creates the stream and copies the messages that the source has now.</summary>
    /// <returns>The new stream.</returns>
    public async Task<StreamInfo> CopyAsync(CancellationToken stop)
    {
        StreamConfig final = Final(from.Config) with { FirstSequence = _next > 1 ? _next : 0 };
        await target.CreateStreamAsync(Temporary(final), stop);
        HasCreated = true;
        await foreach (StoredMessage message in MessagesAsync(stop))
        {
            await FillAsync(message.Sequence, stop);
            await PublishAsync(message.Subject, message.Body.ToArray(), WithoutConditions(message.Headers.Span), stop);
            Copied++;
        }

        await FillAsync(from.State.LastSequence + 1, stop);
        await DrainAsync(0);
        if (Placeholders > 0)
        {
            await target.PurgeStreamAsync(final.Name, new PurgeOptions { Subject = _placeholders }, stop);
        }

        return await target.UpdateStreamAsync(final, stop);
    }

    // One server has the copy, and it receives what it stores from this command and from publishers.
    private static StreamConfig Final(StreamConfig config) => config with { Replicas = 1, Placement = null, Sources = null, Republish = null, SubjectTransform = null };

    // Without limits, so that a placeholder removes no message.
    private StreamConfig Temporary(StreamConfig config) => config with
    {
        Subjects = [.. config.Subjects ?? [config.Name], _placeholders],
        MaxMessages = -1,
        MaxMessagesPerSubject = -1,
        MaxBytes = -1,
        MaxAge = TimeSpan.Zero,
        Discard = DiscardPolicy.Old,
        DiscardNewPerSubject = false,
        DuplicateWindow = ShortestWindow,
        NoAck = false,
        DenyDelete = false,
        DenyPurge = false,
        Sealed = false,
        AllowRollup = true,
        DeleteMarkerTimeToLive = TimeSpan.Zero,
    };

    private async IAsyncEnumerable<StoredMessage> MessagesAsync([EnumeratorCancellation] CancellationToken stop)
    {
        ulong last = from.State.LastSequence;
        if (from.State.Messages == 0)
        {
            yield break;
        }

        if (from.Config.Retention != RetentionPolicy.WorkQueue)
        {
            await foreach (StreamMessage message in source.ReadOrderedAsync(from.Config.Name, cancellationToken: stop))
            {
                if (message.Sequence <= last)
                {
                    yield return StoredMessagePrinter.Stored(message);
                }

                if (message.Sequence >= last || message.Pending == 0)
                {
                    yield break;
                }
            }

            yield break;
        }

        // A stream of this retention may refuse a further consumer.
        for (ulong next = 1; await source.FindNextMessageAsync(from.Config.Name, ">", next, cancellationToken: stop) is { } message && message.Sequence <= last; next = message.Sequence + 1)
        {
            yield return message;
        }
    }

    private async Task FillAsync(ulong sequence, CancellationToken stop)
    {
        while (_next < sequence)
        {
            await PublishAsync(_placeholders, default, default, stop);
            Placeholders++;
        }
    }

    private async Task PublishAsync(string subject, ReadOnlyMemory<byte> body, ReadOnlyMemory<byte> headers, CancellationToken stop)
    {
        await DrainAsync(MostInFlight - 1);
        _inFlight.Enqueue((_next, target.PublishAsync(subject, body, default, headers, stop).AsTask()));
        _next++;
    }

    // Each acknowledgement has the expected sequence, or another client has published into the stream.
    private async Task DrainAsync(int most)
    {
        while (_inFlight.Count > most)
        {
            (ulong sequence, Task<PublishAck> ack) = _inFlight.Dequeue();
            PublishAck stored = await ack;
            if (stored.IsDuplicate)
            {
                throw new IOException($"the message {sequence} has the id of a message shortly before it, so the server does not store it");
            }

            if (stored.Sequence != sequence || stored.Stream != from.Config.Name)
            {
                throw new IOException($"the message {sequence} was stored as {stored.Sequence} of the stream {stored.Stream}: another client publishes to these subjects");
            }
        }
    }

    // The conditions were met when the message was published first. They can name messages that are gone since.
    private static ReadOnlyMemory<byte> WithoutConditions(ReadOnlySpan<byte> block)
    {
        if (block.IsEmpty)
        {
            return default;
        }

        var headers = new MessageHeaders(block);
        bool isChanged = false;
        foreach (string name in Conditions)
        {
            isChanged |= headers.Remove(name);
        }

        return !isChanged ? block.ToArray() : headers.Count == 0 ? default : headers.ToBlock();
    }
}
