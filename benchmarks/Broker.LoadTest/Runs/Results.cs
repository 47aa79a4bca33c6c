using Broker.LoadTest.Rows;
using Broker.LoadTest.Servers;

namespace Broker.LoadTest.Runs;

/// <summary>One measurement and where it belongs.</summary>
internal sealed record Sample(string Row, string Server, int Round, Measurement Measurement);

/// <summary>A server that took part; <see cref="Version"/> is what its INFO says.</summary>
internal sealed record Participant(ServerCommand Command, string Version);

/// <summary>Everything a run has found out.</summary>
internal sealed class Results
{
    public required Settings Settings { get; init; }

    public required IReadOnlyList<Row> Rows { get; init; }

    public DateTimeOffset Started { get; } = DateTimeOffset.UtcNow;

    public TimeSpan Duration { get; set; }

    public List<Participant> Participants { get; } = [];

    public List<Sample> Samples { get; } = [];

    /// <summary>Verifications, counts or starts that went wrong: any of them makes the exit code 1.</summary>
    public List<string> Failures { get; } = [];

    /// <summary>What is worth saying and no failure, such as a server that is not installed.</summary>
    public List<string> Notes { get; } = [];

    /// <summary>The server that the others are divided by.</summary>
    public Participant? Baseline => Participants.Find(participant => participant.Command.Name == KnownServers.Nats) ?? Participants.FirstOrDefault();
}
