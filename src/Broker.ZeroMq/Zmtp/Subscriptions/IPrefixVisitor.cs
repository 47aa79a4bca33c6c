namespace Broker.ZeroMq.Zmtp.Subscriptions;

/// <summary>Receives the prefixes of a <see cref="PrefixSubscriptions"/>.</summary>
internal interface IPrefixVisitor
{
    /// <summary>One prefix. The span is reused after the call. The set must not be changed from here.</summary>
    void Visit(ReadOnlySpan<byte> prefix, int count);
}
