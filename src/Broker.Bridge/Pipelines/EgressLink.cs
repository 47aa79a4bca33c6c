namespace Broker.Bridge;

/// <summary>
/// The state of one link of an ingress at an egress: the numbers that detect duplicates, and the queue for PUSH. Used
/// on the egress's loop.
/// </summary>
internal sealed class EgressLink
{
    internal EgressLink(byte[] ingress, string egress, byte[] subject, PipelineMemoryPool pool)
    {
        Ingress = ingress;
        Subject = subject;
        Queue = new PipelineQueue(pool);
        Headers = new HeaderBuilder($"Zmq-Egress: {egress}\r\n");
        ExpectedHeader = [.. PipelineHeader.VersionLine, .. "Zmq-Ingress: "u8, .. ingress, .. "\r\nZmq-Seq: "u8];
    }

    /// <summary>The name of the link, <c>ingress.link</c>.</summary>
    internal byte[] Ingress { get; }

    /// <summary>The subject for acknowledgements to the link.</summary>
    internal byte[] Subject { get; }

    internal HeaderBuilder Headers { get; }

    /// <summary>
    /// The beginning of a message's headers, up to the sequence number, as bridges write it for this link.
    /// </summary>
    internal byte[] ExpectedHeader { get; }

    /// <summary>The messages that were received and that PUSH has not taken.</summary>
    internal PipelineQueue Queue { get; }

    /// <summary>The last number that was received without a gap before it.</summary>
    internal long Received { get; set; }

    /// <summary>The last number that PUSH took.</summary>
    internal long Taken => Received - Queue.Count;

    /// <summary>The last number that was acknowledged.</summary>
    internal long Acknowledged { get; set; }

    /// <summary>The bytes that PUSH took since the last acknowledgement.</summary>
    internal long BytesSinceAck { get; set; }

    /// <summary>
    /// The number of the first message that the egress last requested again. It requests each number once, unless the
    /// ingress sends a probe.
    /// </summary>
    internal long RequestedFrom { get; set; }

    /// <summary>Whether the link was released: the egress does not take messages that still arrive.</summary>
    internal bool IsEnded { get; set; }

    /// <summary>Whether an acknowledgement is pending.</summary>
    internal bool IsAckDue { get; set; }

    /// <summary>
    /// Whether the ingress has returned the link's token, which shows that the ingress receives what the egress sends
    /// to this link.
    /// </summary>
    internal bool IsProven { get; set; }

    /// <summary>The next link in <see cref="WaitingLinks"/>; null if this link is not waiting.</summary>
    internal EgressLink? NextWaiting { get; set; }

    /// <summary>The previous link in <see cref="WaitingLinks"/>.</summary>
    internal EgressLink? PreviousWaiting { get; set; }

    /// <summary>How many ticks ago the last message from the link arrived.</summary>
    internal int SilentTicks { get; set; }
}
