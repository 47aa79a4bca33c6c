namespace Broker.Server;

/// <summary>Receives one interest of a peer server.</summary>
/// <param name="filter">The filter.</param>
/// <param name="queueGroup">The queue group; empty for none.</param>
/// <param name="weight">The number of members of the queue group at the peer.</param>
public delegate void RemoteInterestVisitor(ReadOnlySpan<byte> filter, ReadOnlySpan<byte> queueGroup, int weight);
