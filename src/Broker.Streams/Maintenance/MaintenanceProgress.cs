namespace Broker.Streams;

/// <summary>How far a long operation is.</summary>
/// <param name="Done">The bytes that have been handled.</param>
/// <param name="Total">All bytes.</param>
public readonly record struct MaintenanceProgress(long Done, long Total);
