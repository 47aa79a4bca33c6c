using Broker.LoadTest.Rows;

namespace Broker.LoadTest.SlowReaders;

/// <summary>The results of one server with one number of subscribers.</summary>
internal sealed record SlowReadersOutcome(string Server, int Readers, bool AreSlow)
{
    /// <summary>The number of messages that all subscribers together must receive.</summary>
    public required long Expected { get; init; }

    public long Received { get; set; }

    /// <summary>The number of subscribers whose connection the server closed.</summary>
    public int Closed { get; set; }

    /// <summary>The time until the server had read the last message from the publisher.</summary>
    public double PublishSeconds { get; set; }

    /// <summary>The time until the last subscriber had received everything or was closed.</summary>
    public double Seconds { get; set; }

    public double CpuSeconds { get; set; }

    public long PeakResidentBytes { get; set; }

    /// <summary>The times from when the PINGs of a client were due, which only sends PINGs.</summary>
    public Latency? Bystander { get; set; }

    /// <summary>The times from when these PINGs were sent.</summary>
    public Latency? RoundTrips { get; set; }

    /// <summary>
    /// The times from when the PINGs were due, without those of <see cref="SlowReadersSettings.Beginning"/>.
    /// </summary>
    public Latency? LaterBystander { get; set; }

    /// <summary>
    /// The times from when the PINGs were sent, without those of <see cref="SlowReadersSettings.Beginning"/>.
    /// </summary>
    public Latency? LaterRoundTrips { get; set; }

    /// <summary>Why the measurement failed; null if it did not.</summary>
    public string? Failure { get; set; }
}
