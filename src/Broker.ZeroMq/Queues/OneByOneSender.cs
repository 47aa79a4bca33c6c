using Broker.ZeroMq.Zmtp.Framing;

namespace Broker.ZeroMq.Queues;

/// <summary>Sends messages one by one, by whatever a socket does with one.</summary>
/// <param name="trySend">Given a whole encoded message; false when there is no room.</param>
/// <param name="flush">Sends what was taken, where the socket does not do so at the end of the loop's turn.</param>
internal sealed class OneByOneSender(Func<ReadOnlySpan<byte>, bool> trySend, Action? flush = null) : IBatchSender
{
    public int Send(ReadOnlySpan<byte> messages, int count, out int sent)
    {
        int at = 0;
        for (sent = 0; sent < count; sent++)
        {
            int size = EncodedMessage.Measure(messages[at..]);
            if (!trySend(messages.Slice(at, size)))
            {
                break;
            }

            at += size;
        }

        return at;
    }

    public void Flush() => flush?.Invoke();
}
