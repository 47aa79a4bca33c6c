using Broker.LoadTest.Servers;

namespace Broker.LoadTest.Rows;

/// <summary>One line of a table: a pattern of traffic that can be measured and, separately, verified.</summary>
internal abstract class Row(string name, string what)
{
    public string Name { get; } = name;

    public string What { get; } = what;

    /// <summary>The point in a table of growing cost; null for a row of the main table.</summary>
    public Point? Point { get; init; }

    /// <summary>The goal of the row; null for none.</summary>
    public Goal? Goal { get; init; }

    /// <summary>Whether the row is in the main table with its throughput, warm and cold.</summary>
    public virtual bool InMainTable => Point is null;

    /// <summary>
    /// The time per counted message of a slow server. It only determines the size of the first warm-up pass.
    /// </summary>
    public abstract double NominalNanoseconds { get; }

    /// <summary>The number of counted messages per sent message: a fan-out is counted at its readers.</summary>
    public virtual int Copies => 1;

    /// <summary>The number of messages is rounded to a multiple of this.</summary>
    public virtual int Publishers => 1;

    /// <summary>The minimum number of messages. With fewer the figures would be meaningless.</summary>
    public virtual int FewestMessages => 200;

    /// <summary>The minimum duration of a measurement with the fastest server, regardless of the settings.</summary>
    public virtual double ShortestSeconds => 0;

    /// <summary>Whether warm-up passes are useful: in rows that measure time or CPU time.</summary>
    public virtual bool WarmsUp => true;

    /// <summary>The maximum number of useful rounds.</summary>
    public virtual int MostRounds => int.MaxValue;

    /// <summary>Whether each measurement needs a new process.</summary>
    public virtual bool NeedsFreshServer => false;

    /// <summary>
    /// Returns the server to start for this row in place of <paramref name="command"/>; null if the row does not apply
    /// to it.
    /// </summary>
    public virtual ServerCommand? CommandFor(ServerCommand command) => command;

    /// <summary>
    /// Measures with equal frames in whole blocks and counts bytes only. Throws if the count is not exact.
    /// </summary>
    public abstract Measurement Measure(Target target, long messages);

    /// <summary>Verifies with fewer, different messages and compares every byte. Throws at the first error.</summary>
    public abstract void Verify(Target target);
}
