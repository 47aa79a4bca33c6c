namespace Broker.ZeroMq;

/// <summary>Sends messages one by one through a delegate of the socket.</summary>
/// <param name="trySend">Sends one encoded message; returns false if there is no room.</param>
/// <param name="flush">
/// Sends the buffered messages, if the socket does not do so at the end of the loop's iteration.
/// </param>
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
