namespace Broker.Bridge.Pipelines;

/// <summary>What an egress knows of one link of an ingress: the filter against duplicates, and what waits for PUSH. On its loop.</summary>
internal sealed class EgressPair
{
    internal EgressPair(byte[] ingress, string egress, byte[] subject, ChunkPool pool)
    {
        Ingress = ingress;
        Subject = subject;
        Queue = new MessageQueue(pool);
        Headers = new HeaderBuilder($"Zmq-Egress: {egress}\r\n");
        UsualHeader = [.. PipelineHeader.VersionLine, .. "Zmq-Ingress: "u8, .. ingress, .. "\r\nZmq-Seq: "u8];
    }

    /// <summary>The link's name, <c>ingress.link</c>.</summary>
    internal byte[] Ingress { get; }

    /// <summary>Where the link gets acknowledgements.</summary>
    internal byte[] Subject { get; }

    internal HeaderBuilder Headers { get; }

    /// <summary>The beginning of its messages' headers, up to the number, as bridges write them.</summary>
    internal byte[] UsualHeader { get; }

    /// <summary>What was received and PUSH has not taken.</summary>
    internal MessageQueue Queue { get; }

    /// <summary>The last number received without a gap before it.</summary>
    internal long Received { get; set; }

    /// <summary>The last number that PUSH took.</summary>
    internal long Taken => Received - Queue.Count;

    /// <summary>The last number that was acknowledged.</summary>
    internal long Acknowledged { get; set; }

    /// <summary>Bytes that PUSH took since then.</summary>
    internal long BytesSinceAck { get; set; }

    /// <summary>What was asked for again last; not asked for twice unless the ingress says where it stands.</summary>
    internal long Asked { get; set; }

    /// <summary>It has been given back: what still comes is not taken.</summary>
    internal bool IsEnded { get; set; }

    /// <summary>Whether an acknowledgement is to be sent.</summary>
    internal bool IsAckDue { get; set; }

    /// <summary>How many ticks ago it was heard of last.</summary>
    internal int Silence { get; set; }
}
