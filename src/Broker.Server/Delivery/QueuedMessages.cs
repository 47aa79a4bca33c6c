using Broker.Transport;

namespace Broker.Server.Delivery;

/// <summary>Drops the messages of a queue and counts them; answers such as PONG and -ERR stay.</summary>
internal struct QueuedMessages : IQueueFilter
{
    internal long Dropped { get; private set; }

    public int Keep(Span<byte> written)
    {
        int kept = 0;
        int at = 0;
        while (at < written.Length)
        {
            int length = WrittenOperation.Length(written[at..], out bool isMessage);
            if (length == 0)
            {
                // Not whole, which no writer does: better kept than cut.
                length = written.Length - at;
                isMessage = false;
            }

            if (isMessage)
            {
                Dropped++;
            }
            else
            {
                written.Slice(at, length).CopyTo(written[kept..]);
                kept += length;
            }

            at += length;
        }

        return kept;
    }
}
