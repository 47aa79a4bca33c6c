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

    public IEnumerable<string> Names => Participants.Select(participant => participant.Command.Name);

    /// <summary>Those that are divided by the baseline.</summary>
    public IEnumerable<string> Others => Names.Where(name => name != BaselineName);

    /// <summary>The name of the server that the others are divided by; empty when none took part.</summary>
    public string BaselineName => Baseline?.Command.Name ?? "";

    /// <summary>The servers in the order of a round: every other one is reversed.</summary>
    public IEnumerable<Participant> InTurn(int round) => round % 2 == 1 ? Participants : Enumerable.Reverse(Participants);

    /// <summary>The samples of a row by server.</summary>
    public ILookup<string, Sample> Of(Row row) => Samples.Where(sample => sample.Row == row.Name).ToLookup(sample => sample.Server, StringComparer.Ordinal);

    /// <summary>The server that the others are divided by.</summary>
    private Participant? Baseline => Participants.Find(participant => participant.Command.Name == KnownServers.Nats) ?? Participants.FirstOrDefault();
}
