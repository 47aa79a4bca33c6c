namespace Broker.Transport;

/// <summary>
/// The operations of a transport that the outbound pump needs. Sockets, pipes and in-process links implement these
/// operations.
/// </summary>
internal interface IOutboundTransport
{
    /// <summary>
    /// Sends the bytes of the chain that the transport accepts, up to about <see cref="SentTally.MaxBytes"/> bytes, and
    /// returns sent blocks to their pool. Adds the sent bytes to the tally, which is empty at the call. Only one thread
    /// at a time calls this. Returns the first block that is not completely sent.
    /// </summary>
    Block? Send(Block chain, EventLoop? loop, ref SentTally tally, out SendOutcome outcome);

    /// <summary>
    /// Asks the transport to call <see cref="Connection.OnWritable"/> on the loop when the peer accepts bytes again.
    /// Called on any thread, under the lock of the queue.
    /// </summary>
    void ArmWritable();

    /// <summary>
    /// Cancels the request of <see cref="ArmWritable"/>. Called on the loop, under the lock of the queue.
    /// </summary>
    void DisarmWritable();
}
