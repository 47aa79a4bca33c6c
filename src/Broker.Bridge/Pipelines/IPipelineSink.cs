namespace Broker.Bridge.Pipelines;

/// <summary>Takes what an egress has received: the PUSH socket. A struct, so that the calls are direct.</summary>
internal interface IPipelineSink
{
    /// <summary>False when there is no room now; then <see cref="Egress{TWire, TSink}.Drain"/> is called when there is again.</summary>
    /// <param name="body">The frame, or the frames with their lengths before them. Borrowed.</param>
    /// <param name="frames">How many frames it is; they have been checked.</param>
    bool TryTake(ReadOnlySpan<byte> body, int frames);
}
