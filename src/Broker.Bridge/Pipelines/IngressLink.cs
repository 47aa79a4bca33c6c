using System.Globalization;

namespace Broker.Bridge.Pipelines;

/// <summary>
/// What an ingress knows of one egress: the messages that it has not acknowledged, and how much more it may be sent. On the ingress's loop.
/// </summary>
internal sealed class IngressLink
{
    private readonly long _mostBytes;

    internal IngressLink(string ingress, long number, byte[] egress, byte[] subject, ChunkPool pool, long mostBytes)
    {
        Number = number;
        Egress = egress;
        Subject = subject;
        Queue = new MessageQueue(pool);
        Headers = new HeaderBuilder($"Zmq-Ingress: {ingress}.{number.ToString(CultureInfo.InvariantCulture)}\r\n");
        _mostBytes = mostBytes;
    }

    internal long Number { get; }

    internal byte[] Egress { get; }

    /// <summary>Where the egress gets messages.</summary>
    internal byte[] Subject { get; }

    internal HeaderBuilder Headers { get; }

    /// <summary>What has not been acknowledged.</summary>
    internal MessageQueue Queue { get; }

    /// <summary>The last number that the egress has acknowledged.</summary>
    internal long Acknowledged { get; private set; }

    /// <summary>The last number that was given to a message.</summary>
    internal long Last => Acknowledged + Queue.Count;

    /// <summary>The number of the last message that was sent.</summary>
    internal long Sent => Acknowledged + Queue.Sent;

    /// <summary>The highest number that has ever been sent.</summary>
    internal long HighestSent { get; set; }

    /// <summary>The highest number that may be sent.</summary>
    internal long Limit { get; private set; }

    internal long WindowBytes { get; private set; }

    /// <summary>After a loss of the server: nothing is sent before the egress has said what it has.</summary>
    internal bool IsHeld { get; set; }

    internal bool IsGone { get; set; }

    /// <summary>How many ticks ago it was heard of last.</summary>
    internal int Silence { get; set; }

    /// <summary>How many ticks ago it answered last, with or without a server since.</summary>
    internal int Unanswered { get; set; }

    /// <summary>Where its messages went when it was given up.</summary>
    internal IngressLink? Successor { get; set; }

    internal bool HasCredit(int size) =>
        !IsHeld && Last < Limit && (Queue.IsEmpty || Queue.Bytes + size <= WindowBytes);

    /// <summary>The egress tells of its window. One that it has opened it does not close.</summary>
    internal void Open(long messages, long bytes, int mostMessages)
    {
        Limit = Math.Max(Limit, Acknowledged + Math.Min(messages, mostMessages));
        WindowBytes = Math.Min(bytes, _mostBytes);
    }

    /// <summary>Forgets what the egress has acknowledged. How many messages that was; -1 when it cannot be.</summary>
    internal long Acknowledge(long through)
    {
        if (through > HighestSent || through < Acknowledged)
        {
            return -1;
        }

        long messages = through - Acknowledged;
        for (long left = messages; left > 0; left--)
        {
            Queue.RemoveFirst();
        }

        Acknowledged = through;
        return messages;
    }
}
