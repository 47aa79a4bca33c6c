namespace Broker.Benchmarks.NatsNet.Clients;

/// <summary>The messages of the comparison of plain clients.</summary>
internal static class PlainTraffic
{
    /// <summary>The size of each message in bytes.</summary>
    internal const int BodySize = 128;

    /// <summary>The subject of published messages. It has no subscription.</summary>
    internal const string Sink = "contest.sink";

    /// <summary>The subject of received messages.</summary>
    internal const string Source = "contest.source";

    /// <summary>The subject of requests. The reply is the body of the request.</summary>
    internal const string Echo = "contest.echo";

    /// <summary>The longest wait for a reply.</summary>
    internal static TimeSpan Limit { get; } = TimeSpan.FromSeconds(30);

    /// <exception cref="InvalidDataException">The body of a message has not the size of the published ones.</exception>
    internal static void Verify(int size)
    {
        if (size != BodySize)
        {
            throw new InvalidDataException($"A message with {size} bytes arrived: it must have {BodySize} bytes.");
        }
    }
}
