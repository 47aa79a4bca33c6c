namespace Broker.Server;

/// <summary>A page of a list of clients. Immutable.</summary>
/// <param name="Connections">The clients of this page.</param>
/// <param name="Total">The number of clients on all pages.</param>
/// <param name="Offset">The number of clients before this page.</param>
/// <param name="Limit">The maximum number of clients on a page.</param>
public sealed record ConnectionPage(IReadOnlyList<ConnectionDescription> Connections, int Total, int Offset, int Limit);
