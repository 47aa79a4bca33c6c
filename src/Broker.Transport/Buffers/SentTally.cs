namespace Broker.Transport;

/// <summary>
/// The number of bytes that a transport has sent, and by how much the unused space of the chain has shrunk (see
/// <see cref="BlockChain"/>).
/// </summary>
internal struct SentTally
{
    internal long Bytes;

    /// <summary>The approximate maximum number of bytes to send.</summary>
    internal long MaxBytes;

    internal long Unused;
}
