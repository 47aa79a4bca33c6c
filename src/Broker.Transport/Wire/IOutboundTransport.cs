namespace Broker.Transport;

/// <summary>
/// The operations of a transport that the outbound pump needs: a socket, a pipe or an in-process peer.
/// </summary>
internal interface IOutboundTransport
{
    /// <summary>
    /// Sends what the transport accepts of the chain, up to about <see cref="SentTally.MaxBytes"/> bytes, and returns
    /// sent blocks to the pool. Adds to the tally, which is empty at the call. Called by one thread at a time. Returns
    /// the first block that is not completely sent.
    /// </summary>
    Block? Send(Block chain, EventLoop? loop, ref SentTally tally, out SendOutcome outcome);

    /// <summary>
    /// Asks the transport to call <see cref="Connection.OnWritable"/>, on the loop, when the peer accepts bytes again.
    /// Under the lock of the queue, any thread.
    /// </summary>
    void ArmWritable();

    /// <summary>Cancels that request. Under the lock of the queue, on the loop.</summary>
    void DisarmWritable();
}
