namespace Broker.LoadTest.Servers;

/// <summary>The time from the start of a server's process to an accepted connection, and from there to INFO.</summary>
internal sealed record StartTimes(TimeSpan ToConnection, TimeSpan ToInfo);
