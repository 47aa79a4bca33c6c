namespace Broker.Transport;

/// <summary>
/// The number of bytes that a transport has sent, and how much the unused space of the chain shrank (see
/// <see cref="BlockChain"/>).
/// </summary>
internal struct SentTally
{
    internal long Bytes;

    /// <summary>About how many bytes may be sent.</summary>
    internal long MaxBytes;

    internal long Unused;
}
