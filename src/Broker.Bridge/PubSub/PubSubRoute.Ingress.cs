using System.Runtime.CompilerServices;
using Broker.Client;
using Broker.Transport;
using Broker.ZeroMq;

namespace Broker.Bridge;

// Passes messages from ZeroMQ to NATS, on the loop of the peer that sent the message.
internal sealed partial class PubSubRoute
{
    private const int MostCommandBytes = 64 * 1024;

    // The reasons that have been logged, one bit each. Further messages refused for the same reason are only counted.
    private int _reported;
    private int _notTaken;

    private bool OnZeroMqMessage(ZeroMqPeer peer, in ZmtpMessage message)
    {
        EventLoop loop = Context.Loops.Current!;
        LoopScratch scratch = _scratch[loop.Index];
        if (IsPaused)
        {
            return Wait(peer, scratch);
        }

        MapStatus status = _options.TraceFrame ? PublishWithTrace(in message, scratch) : Publish(in message, scratch);
        if (status != MapStatus.Mapped)
        {
            scratch.RefusedIn++;
            Report(status);
        }

        return !scratch.MustWait || Wait(peer, scratch);
    }

    // Leaves the message with the peer: TCP's flow control slows the PUB down, as a slow SUB would.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool Wait(ZeroMqPeer peer, LoopScratch scratch)
    {
        scratch.MustWait = false;
        if (scratch.Waiting.Count >= _options.MaxPeers)
        {
            // Programs that disconnect while they wait must not use up the memory.
            scratch.Waiting.RemoveWhere(static waiting => !waiting.IsConnected);
        }

        scratch.Waiting.Add(peer);
        return false;
    }

    private static void Resume(LoopScratch scratch)
    {
        ZeroMqPeer[] peers = [.. scratch.Waiting];
        scratch.Waiting.Clear();
        Array.ForEach(peers, static peer => peer.ResumeReceiving());
    }

    private MapStatus Publish(in ZmtpMessage message, LoopScratch scratch)
    {
        MapStatus status = Mapper.ToSubject(
            new ReceivedFrames(message.GetEnumerator()),
            scratch.Take(Mapper.ToSubjectScratch(message.EncodedSize)),
            out SubjectMessage mapped);
        return status == MapStatus.Mapped ? Publish(mapped.Subject, mapped.Headers, mapped.Payload, scratch) : status;
    }

    private MapStatus Publish(
        ReadOnlySpan<byte> subject, ReadOnlySpan<byte> headers, ReadOnlySpan<byte> payload, LoopScratch scratch)
    {
        PublishStatus published = Client.PublishWithStatus(subject, payload, default, headers);
        if (published != PublishStatus.Accepted)
        {
            return NotPublished(published, scratch);
        }

        scratch.MessagesIn++;
        return MapStatus.Mapped;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private MapStatus NotPublished(PublishStatus status, LoopScratch scratch)
    {
        if (status == PublishStatus.PayloadTooLarge)
        {
            // The mapper knows only the configured limit. The limit of the server may be lower, and each server may
            // have another limit.
            Mapper.Counters.Count(MapStatus.TooLarge);
            return MapStatus.TooLarge;
        }

        if (status == PublishStatus.PendingLimit)
        {
            scratch.MustWait = true;
            return MapStatus.Mapped;
        }

        scratch.Dropped++;
        if (status is not (PublishStatus.Dropped or PublishStatus.NotConnected or PublishStatus.Closed))
        {
            ReportNotTaken(status);
        }

        return MapStatus.Mapped;
    }

    private void ReportNotTaken(PublishStatus status)
    {
        int bit = 1 << (int)status;
        if ((Interlocked.Or(ref _notTaken, bit) & bit) == 0)
        {
            Log.NotTaken(status switch
            {
                PublishStatus.BufferFull => "no NATS server is connected, and the buffer for the next server is full",
                PublishStatus.HeadersNotSupported => "the NATS server does not support headers",
                PublishStatus.SubjectTooLong => "their subjects are longer than the NATS server's max_control_line",
                _ => status.ToString(),
            });
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void Report(MapStatus status)
    {
        int bit = 1 << (int)status;
        if (status != MapStatus.OwnOrigin && (Interlocked.Or(ref _reported, bit) & bit) == 0)
        {
            Log.NotMapped(Explain(status));
        }
    }

    private Dictionary<MapStatus, long> Refusals()
    {
        var refused = new Dictionary<MapStatus, long>();
        foreach (MapStatus status in Enum.GetValues<MapStatus>())
        {
            if (status is not (MapStatus.Mapped or MapStatus.OwnOrigin) && Mapper.Counters[status] is > 0 and var count)
            {
                refused[status] = count;
            }
        }

        return refused;
    }

    private static string Explain(MapStatus status) => status switch
    {
        MapStatus.TooManyFrames => "it has more frames than the options permit",
        MapStatus.TopicTooLong => "its topic is longer than the options permit",
        MapStatus.TooLarge => "it is larger than the NATS server's max_payload",
        MapStatus.MalformedHeaders => "its headers are malformed",
        MapStatus.MalformedFrames => "the frame lengths in its payload are inconsistent",
        MapStatus.OutsidePrefix => "its subject does not begin with the prefix",
        MapStatus.ForeignSubject => "its subject is not the encoding of a topic",
        MapStatus.TopicMissing => "its subject contains a hash, and no header contains its topic",
        MapStatus.TopicMismatch => "its topic does not belong to its subject",
        _ => status.ToString(),
    };
}
