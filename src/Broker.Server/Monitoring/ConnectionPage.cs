namespace Broker.Server.Monitoring;

/// <summary>A part of the list of clients. Immutable.</summary>
/// <param name="Connections">The clients of this page.</param>
/// <param name="Total">How many there are on all pages.</param>
/// <param name="Offset">How many were passed over.</param>
/// <param name="Limit">How many there may be on a page.</param>
public sealed record ConnectionPage(IReadOnlyList<ConnectionFacts> Connections, int Total, int Offset, int Limit);
