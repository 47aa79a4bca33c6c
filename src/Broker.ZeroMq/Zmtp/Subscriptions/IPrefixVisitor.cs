namespace Broker.ZeroMq;

/// <summary>
/// Receives the prefixes that the peers of a publisher subscribe to. Implement it as a struct, so that the method is
/// called directly and not through the interface.
/// </summary>
public interface IPrefixVisitor
{
    /// <summary>
    /// Receives one prefix and the number of its subscribers. The span is valid until the method returns. The method
    /// must not change any subscription.
    /// </summary>
    void Visit(ReadOnlySpan<byte> prefix, int count);
}
