using Broker.LoadTest.Rows;
using Broker.LoadTest.Servers;

namespace Broker.LoadTest.Runs;

/// <summary>One measurement with its row, server and round.</summary>
internal sealed record Sample(string Row, string Server, int Round, Measurement Measurement);

/// <summary>A measured server. <see cref="Version"/> is the version in its INFO.</summary>
internal sealed record Participant(ServerCommand Command, string Version);

/// <summary>All results of a run.</summary>
internal sealed class Results
{
    public required Settings Settings { get; init; }

    public required IReadOnlyList<Row> Rows { get; init; }

    public DateTimeOffset Started { get; } = DateTimeOffset.UtcNow;

    public TimeSpan Duration { get; set; }

    public List<Participant> Participants { get; } = [];

    public List<Sample> Samples { get; } = [];

    /// <summary>Failed verifications, counts or starts. If there is one, the exit code is 1.</summary>
    public List<string> Failures { get; } = [];

    /// <summary>Notes that are not failures, such as a server that is not installed.</summary>
    public List<string> Notes { get; } = [];

    public IEnumerable<string> Names => Participants.Select(participant => participant.Command.Name);

    /// <summary>The servers that are compared with the baseline.</summary>
    public IEnumerable<string> Others => Names.Where(name => name != BaselineName);

    /// <summary>The name of the server that is the baseline; empty if there is no server.</summary>
    public string BaselineName => Baseline?.Command.Name ?? "";

    /// <summary>Returns the servers in the order of a round. Every second round has the reverse order.</summary>
    public IEnumerable<Participant> InTurn(int round) => round % 2 == 1 ? Participants : Enumerable.Reverse(Participants);

    /// <summary>The samples of a row by server.</summary>
    public ILookup<string, Sample> Of(Row row) => Samples.Where(sample => sample.Row == row.Name).ToLookup(sample => sample.Server, StringComparer.Ordinal);

    /// <summary>The server that is the baseline.</summary>
    private Participant? Baseline => Participants.Find(participant => participant.Command.Name == KnownServers.Nats) ?? Participants.FirstOrDefault();
}
