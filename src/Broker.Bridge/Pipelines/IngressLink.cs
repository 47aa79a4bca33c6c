using System.Globalization;

namespace Broker.Bridge;

/// <summary>
/// The state of one egress at an ingress: the messages that the egress has not acknowledged, and how many more it may
/// receive. Used on the ingress's loop.
/// </summary>
internal sealed class IngressLink
{
    private readonly long _mostBytes;
    private readonly PipelineBudget _budget;

    internal IngressLink(
        string ingress, long number, byte[] egress, byte[] subject, PipelineMemoryPool pool, long mostBytes, PipelineBudget budget)
    {
        Number = number;
        Egress = egress;
        Subject = subject;
        Queue = new PipelineQueue(pool);
        Headers = new HeaderBuilder($"Zmq-Ingress: {ingress}.{number.ToString(CultureInfo.InvariantCulture)}\r\n");
        _mostBytes = mostBytes;
        _budget = budget;
    }

    internal long Number { get; }

    internal byte[] Egress { get; }

    /// <summary>The subject for messages to the egress.</summary>
    internal byte[] Subject { get; }

    internal HeaderBuilder Headers { get; }

    /// <summary>The messages that have not been acknowledged.</summary>
    internal PipelineQueue Queue { get; }

    /// <summary>The last number that the egress has acknowledged.</summary>
    internal long Acknowledged { get; private set; }

    /// <summary>The number of the newest message.</summary>
    internal long Last => Acknowledged + Queue.Count;

    /// <summary>The number of the last message that was sent.</summary>
    internal long Sent => Acknowledged + Queue.Sent;

    /// <summary>The highest number that has ever been sent.</summary>
    internal long HighestSent { get; set; }

    /// <summary>The highest number that may be sent.</summary>
    internal long Limit { get; private set; }

    internal long WindowBytes { get; private set; }

    /// <summary>
    /// Whether the link is paused after the loss of a server: the ingress sends nothing before the egress has answered
    /// a probe.
    /// </summary>
    internal bool IsPaused { get; set; }

    internal bool IsClosed { get; set; }

    /// <summary>The node of this link in the list of candidates; null if the egress has answered.</summary>
    internal LinkedListNode<IngressLink>? Candidate { get; set; }

    /// <summary>The token that the egress expects in probes; empty for none.</summary>
    internal byte[] Token { get; set; } = [];

    /// <summary>How many ticks ago the last message from the egress arrived.</summary>
    internal int SilentTicks { get; set; }

    /// <summary>How many ticks ago the egress last answered, counted also while no server is connected.</summary>
    internal int UnansweredTicks { get; set; }

    /// <summary>The link that received the messages of this link when it was given up.</summary>
    internal IngressLink? Successor { get; set; }

    internal bool HasCredit(int size)
        => !IsPaused && Last < Limit && (Queue.IsEmpty || Queue.Bytes + size <= Math.Min(WindowBytes, _budget.Share));

    /// <summary>Handles the window of the egress. A window never becomes smaller than before.</summary>
    internal void Open(long messages, long bytes, int mostMessages)
    {
        Limit = Math.Max(Limit, Acknowledged + Math.Min(messages, mostMessages));
        WindowBytes = Math.Min(bytes, _mostBytes);
    }

    /// <summary>
    /// Removes the acknowledged messages and returns their number. Returns -1 if the acknowledgement is for messages
    /// that were never sent, or is older than the last one.
    /// </summary>
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
