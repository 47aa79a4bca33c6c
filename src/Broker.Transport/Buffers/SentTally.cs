namespace Broker.Transport.Buffers;

/// <summary>What a transport took: bytes, and how much the waste of the chain shrank (see <see cref="BlockChain"/>).</summary>
internal struct SentTally
{
    internal long Bytes;

    /// <summary>How many bytes may go, about.</summary>
    internal long MaxBytes;

    internal long Waste;
}
