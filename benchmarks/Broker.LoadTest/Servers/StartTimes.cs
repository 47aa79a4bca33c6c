namespace Broker.LoadTest.Servers;

/// <summary>How long a server took from the start of its process to accept a connection, and from there to say INFO.</summary>
internal sealed record StartTimes(TimeSpan ToConnection, TimeSpan ToInfo);
