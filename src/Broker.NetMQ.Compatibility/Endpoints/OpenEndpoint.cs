namespace NetMQ;

/// <summary>An address that a socket uses.</summary>
/// <param name="Address">The text that the program gave.</param>
/// <param name="Actual">The address with the port that the system chose.</param>
/// <param name="IsBound">Whether the socket has bound the address, and not connected to it.</param>
/// <param name="RoutingId">The id that the program has given to the peer at the address; null for none.</param>
internal sealed record OpenEndpoint(string Address, string Actual, bool IsBound, byte[]? RoutingId = null)
{
    internal bool Matches(string address)
        => string.Equals(Address, address, StringComparison.Ordinal)
            || string.Equals(Actual, address, StringComparison.Ordinal);
}
