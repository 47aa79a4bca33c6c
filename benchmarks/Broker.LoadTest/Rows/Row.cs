using Broker.LoadTest.Servers;

namespace Broker.LoadTest.Rows;

/// <summary>One line of a table: a pattern of traffic that can be measured and, separately, verified.</summary>
internal abstract class Row(string name, string what)
{
    public string Name { get; } = name;

    public string What { get; } = what;

    /// <summary>Where it stands in a table of growing cost; null for a row of the main table.</summary>
    public Point? Point { get; init; }

    /// <summary>What it is to reach; null where nothing is promised.</summary>
    public Goal? Goal { get; init; }

    /// <summary>Whether it is compared by throughput in the main table, warm and cold.</summary>
    public virtual bool InMainTable => Point is null;

    /// <summary>What an unhurried server takes per counted message; only sizes the first warm-up pass.</summary>
    public abstract double NominalNanoseconds { get; }

    /// <summary>Counted messages per message sent: a fan-out is counted at its readers.</summary>
    public virtual int Copies => 1;

    /// <summary>The number of messages is rounded to a multiple of this.</summary>
    public virtual int Publishers => 1;

    /// <summary>Below this its figures would mean nothing.</summary>
    public virtual int FewestMessages => 200;

    /// <summary>How long a measurement of the fastest server lasts at least, whatever the settings say.</summary>
    public virtual double ShortestSeconds => 0;

    /// <summary>Passes before the counted rounds mean something: where time or processor time is measured.</summary>
    public virtual bool WarmsUp => true;

    /// <summary>More rounds than this would only take longer.</summary>
    public virtual int MostRounds => int.MaxValue;

    /// <summary>Whether each measurement has to begin with a process that has done nothing yet.</summary>
    public virtual bool NeedsFreshServer => false;

    /// <summary>The server to start for this row in place of <paramref name="command"/>; null where the row means nothing to it.</summary>
    public virtual ServerCommand? CommandFor(ServerCommand command) => command;

    /// <summary>Counts only: equal frames, whole blocks. Throws when the count is not exact.</summary>
    public abstract Measurement Measure(Target target, long messages);

    /// <summary>Fewer messages, each different, every byte compared. Throws at the first that is wrong.</summary>
    public abstract void Verify(Target target);
}
