namespace Broker.Bridge;

/// <summary>The PUSH socket of an egress. Implementations are structs, so that the calls are direct.</summary>
internal interface IPipelineSink
{
    /// <summary>
    /// Sends a message. Returns false if no peer has space; <see cref="Egress{TConnection, TSink}.Drain"/> is called
    /// when a peer has space again.
    /// </summary>
    /// <param name="body">The frame, or several frames with their lengths. Valid during the call only.</param>
    /// <param name="frames">The number of frames. The caller has checked the frame lengths.</param>
    bool TryTake(ReadOnlySpan<byte> body, int frames);
}
