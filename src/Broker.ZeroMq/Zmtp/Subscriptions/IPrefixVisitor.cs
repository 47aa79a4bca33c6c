namespace Broker.ZeroMq;

/// <summary>Receives the prefixes of a <see cref="PrefixSubscriptions"/>.</summary>
internal interface IPrefixVisitor
{
    /// <summary>
    /// Receives one prefix. The span is valid until the method returns. The method must not change the set.
    /// </summary>
    void Visit(ReadOnlySpan<byte> prefix, int count);
}
