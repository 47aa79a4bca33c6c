using Broker.ZeroMq.Loops;

namespace Broker.ZeroMq;

/// <summary>Sends the messages of a socket that distributes them among its peers.</summary>
internal sealed class DistributingSender(DistributingSocket socket) : IBatchSender
{
    public int Send(ReadOnlySpan<byte> messages, int count, out int sent)
    {
        int at = 0;
        for (sent = 0; sent < count;)
        {
            int size = socket.SendSome(messages[at..], count - sent, out int some);
            if (some == 0)
            {
                break;
            }

            sent += some;
            at += size;
        }

        return at;
    }

    public void Flush() => socket.FlushPipes();
}
