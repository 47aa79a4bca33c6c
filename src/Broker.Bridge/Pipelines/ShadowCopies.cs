using Broker.Client;

namespace Broker.Bridge;

/// <summary>
/// Sends copies of a pipeline's messages to PULL programs without taking part in its protocol. Used on the loop; any
/// thread may read the counters.
/// </summary>
internal sealed class ShadowCopies(PushSink sink)
{
    private long _received;
    private long _delivered;
    private long _dropped;
    private long _refused;

    internal long Received => Volatile.Read(ref _received);

    internal long Delivered => Volatile.Read(ref _delivered);

    /// <summary>Copies that no PULL program had space for.</summary>
    internal long Dropped => Volatile.Read(ref _dropped);

    internal long Refused => Volatile.Read(ref _refused);

    /// <summary>
    /// Handles a message to any egress. Protocol messages, such as the end of a link, have no sequence number and are
    /// ignored.
    /// </summary>
    internal void OnMessage(in MessageView message)
    {
        if (!PipelineHeader.TryParse(message.Headers, out PipelineHeader header) || header.Sequence == PipelineHeader.None)
        {
            return;
        }

        _received++;
        if (header.Frames != 1 && (header.Frames == 0 || !FrameLengths.AreValid(message.Body, header.Frames)))
        {
            // Also counts messages that their ingress has given up: the ingress then sends only the number.
            _refused++;
        }
        else if (sink.TryTake(message.Body, header.Frames))
        {
            _delivered++;
        }
        else
        {
            _dropped++;
        }
    }
}
